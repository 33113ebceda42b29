/**
 * What an embedding space calls "unrelated", before a tenant has documents of its own to tell.
 *
 * Every space puts unrelated texts somewhere else: around .1 for one model, above .7 for another. So nothing here is a
 * number taken from one model: the unrelated requests below are embedded once when the service starts, and how alike
 * they come out is the space's default.
 */
import { countFeatures, measureFrequencies, overlap, weigh } from "./words.ts";

/** Centre and width of the similarities of unrelated texts. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

export interface SpaceDefaults {
  readonly meaning: Spread;
  readonly wording: Spread;
}

/** Requests of as many kinds as there are lines: no two of them are the same intent, few are of the same field. */
export const UNRELATED_REQUESTS: readonly string[] = [
  "book a table for two at an Italian restaurant tonight",
  "my laptop does not start after the update",
  "what is the weather going to be in Lisbon tomorrow",
  "cancel the order I placed yesterday",
  "translate this paragraph into German",
  "find the cheapest flight to Tokyo in March",
  "write a unit test for the parser",
  "put a clean plate on the kitchen table",
  "remind me to call my mother on Sunday",
  "reset the password of my account",
  "summarise the minutes of the last meeting",
  "how many calories are in a bowl of rice",
  "deploy the new version to the staging server",
  "play some quiet jazz in the living room",
  "which of these invoices have not been paid yet",
  "fix the memory leak in the image service",
  "schedule an appointment with the dentist",
  "compare the mileage of these two cars",
  "turn off the lights in the bedroom",
  "draft a reply to the complaint about late delivery",
  "show me the sales of the last quarter by region",
  "how do I remove a red wine stain from a carpet",
  "add oat milk and bananas to the shopping list",
  "is there a pharmacy open near the station",
  "plot the temperature measured by each sensor",
  "I want to dispute a charge on my credit card",
  "recommend a novel about the sea",
  "merge the two branches and resolve the conflicts",
  "water the plants on the balcony every morning",
  "what does the tenancy agreement say about pets",
  "upgrade my seat to one by the window",
  "prove that the sum of two even numbers is even",
  "block the user who keeps posting spam",
  "order a new ink cartridge for the printer",
  "how long should I boil an egg",
  "change the delivery address of my parcel",
  "convert forty miles to kilometres",
  "find a used bicycle under two hundred euros",
  "rename every file in this folder by its date",
  "tell me a joke about penguins",
  "renew my library membership for a year",
  "check whether the backup of last night succeeded",
  "explain how vaccines work to a child",
  "apply for three days of leave next week",
  "mute the microphone during the presentation",
  "which museum shows paintings by Vermeer",
  "heat the apple and put it in the fridge",
  "send twenty pounds to my landlord",
  "generate a logo for a bakery",
  "who won the football match last night",
  "count the rows of the table customers",
  "my knee hurts when I climb stairs",
  "open the garage door when I come home",
  "update the phone number on my profile",
];

/** Documents of one tenant are mostly of one field, and so lie wider apart from chance than these; by about this much. */
const FIELD = 1.3;

/** `vectors` are those of UNRELATED_REQUESTS, in their order. */
export function measureSpace(vectors: readonly Float32Array[]): SpaceDefaults {
  const counts = UNRELATED_REQUESTS.map(countFeatures);
  const frequencies = measureFrequencies(counts);
  const words = counts.map((count) => weigh(count, frequencies));
  const meaning: number[] = [];
  const wording: number[] = [];
  vectors.forEach((vector, at) => {
    for (let other = 0; other < at; other += 1) {
      meaning.push(cosine(vector, vectors[other]));
      const here = words[at];
      const there = words[other];
      if (here !== undefined && there !== undefined) wording.push(overlap(here, there));
    }
  });
  const { mean, deviation } = spreadOf(meaning);
  return { meaning: { mean, deviation: FIELD * deviation }, wording: spreadOf(wording) };
}

/** Of unit vectors of one space. Four sums, because one would wait for itself at every step. */
export function cosine(a: Float32Array, b: Float32Array | undefined): number {
  if (b === undefined) return 0;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = a.length - (a.length % 4);
  for (let at = 0; at < whole; at += 4) {
    first += (a[at] as number) * (b[at] as number);
    second += (a[at + 1] as number) * (b[at + 1] as number);
    third += (a[at + 2] as number) * (b[at + 2] as number);
    fourth += (a[at + 3] as number) * (b[at + 3] as number);
  }
  for (let at = whole; at < a.length; at += 1) first += (a[at] as number) * (b[at] as number);
  return first + second + third + fourth;
}

function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: 0, deviation: 1 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}
