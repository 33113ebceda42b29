import { contentId } from "./ids.ts";
import { normalise } from "./words.ts";

/** What an episode was asked to do. Equal intents are one intent, whatever their case, spacing or punctuation. */
export interface Intent {
  readonly intentId: string;
  /** As first asked, cleaned of blanks and control characters. */
  readonly text: string;
}

/**
 * An intent with the values of one task taken out: `refund order {number}`. Intents of one shape ask for the same kind
 * of work; what a tenant has learned is looked up by shape.
 */
export interface Shape {
  readonly shapeId: string;
  readonly text: string;
}

/** Longer queries are cut for comparing: an embedder reads no more, and the first words say what is asked. */
const MOST_CHARACTERS = 2_000;

export function intentOf(query: string): Intent {
  const text = query
    .slice(0, MOST_CHARACTERS * 4)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MOST_CHARACTERS);
  return { intentId: contentId("intent", normalise(text)), text };
}

export function shapeFrom(text: string): Shape {
  return { shapeId: contentId("shape", normalise(text)), text };
}
