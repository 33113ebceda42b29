/** Made-up past runs of five agents in five lines of work. Every word of them was written for these examples. */
import { analyst } from "./analyst.ts";
import { browser } from "./browser.ts";
import { coding } from "./coding.ts";
import { garden } from "./garden.ts";
import type { Domain } from "./run.ts";
import { support } from "./support.ts";

export const DOMAINS: readonly Domain[] = [support, coding, browser, garden, analyst];
