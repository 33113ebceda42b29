/** Working steps as a plan that another task can follow: the same thing always the same role, roles numbered by first use. */
import type { Action, Slot } from "../domain/action.ts";
import type { WorkingStep } from "../domain/analysis.ts";
import type { Role, Step } from "../domain/insight.ts";
import { keyOf } from "../domain/plan.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";

/** A plan longer than this is a log. */
const MOST_STEPS = 20;
const LONGEST_VALUE = 40;

/** `gaps` are what the request's shape leaves out; a role that comes from there can be filled from the next request. */
export function skeletonOf(steps: readonly WorkingStep[], gaps: readonly string[]): Step[] {
  const actions = steps.map(({ action }) => action);
  const cast = new Cast(gaps);
  const plan: Step[] = [];
  for (const [i, action] of actions.entries()) {
    const step = stepOf(action, cast, sourceOf(action, actions[i + 1]));
    const last = plan.at(-1);
    if (last !== undefined && keyOf(last) === keyOf(step))
      plan[plan.length - 1] = { ...last, repeated: true };
    else plan.push(step);
  }
  return plan.slice(0, MOST_STEPS);
}

/**
 * The place from which something is taken, in the step that takes it and in the one that goes there. It is a role by
 * itself: that things were once taken from where they were to be put is chance.
 */
function sourceOf(action: Action, next: Action | undefined): string | null {
  const taking = action.slots.length === 1 ? next : action;
  const source = taking?.slots.find(({ name }) => name === "from");
  const place = source === undefined ? null : identityOf(source);
  return place !== null && action.slots.some((slot) => identityOf(slot) === place) ? place : null;
}

/** Who plays which role. */
class Cast {
  readonly #numbers = new Map<string, string>();
  readonly #gaps: readonly ReadonlySet<string>[];

  constructor(gaps: readonly string[]) {
    this.#gaps = gaps.map((gap) => new Set(contentWords(gap).map(stem)));
  }

  play(slot: Slot, source: string | null): { readonly number: string; readonly role: Role } {
    const isSource = identityOf(slot) === source;
    const identity = isSource ? `from ${identityOf(slot)}` : identityOf(slot);
    const number = this.#numbers.get(identity) ?? String(this.#numbers.size + 1);
    this.#numbers.set(identity, number);
    return {
      number,
      role: { name: slot.name, value: carried(slot), gap: isSource ? null : this.#gapOf(slot) },
    };
  }

  #gapOf({ fromQuery }: Slot): number | null {
    const at = this.#gaps.findIndex((words) => fromQuery.some((word) => words.has(stem(word))));
    return at < 0 ? null : at;
  }
}

function stepOf(action: Action, cast: Cast, source: string | null): Step {
  const parts = action.slots.map((slot) => ({ name: slot.name, ...cast.play(slot, source) }));
  const roles = Object.fromEntries(parts.map(({ number, role }) => [number, role]));
  return { text: textOf(action, parts), verb: action.verb, repeated: false, roles };
}

function textOf(
  { form, verb }: Action,
  parts: readonly { readonly name: string; readonly number: string; readonly role: Role }[],
): string {
  if (form === "command" || form === "sentence") {
    const phrases = parts.map(({ name, number }) =>
      name === "object" ? `{${number}}` : `${name} {${number}}`,
    );
    return [verb, ...phrases].join(" ");
  }
  if (form === "shell") {
    const words = parts.map(({ name, number, role }) => {
      if (/^\d+$/.test(name)) return `{${number}}`;
      return role.value === "true" ? name : `${name}={${number}}`;
    });
    return [verb, ...words].join(" ");
  }
  const list = parts.map(({ name, number }) => (/^\d+$/.test(name) ? `{${number}}` : `${name}={${number}}`));
  return list.length === 0 ? verb : `${verb}(${list.join(", ")})`;
}

/** A thing is known by its noun, whatever its number; everything else by its value. */
function identityOf(slot: Slot): string {
  return (slot.kind ?? slot.value).toLowerCase();
}

/** Nouns and options mean something in the next task; ids, dates and long texts belong to this one. */
function carried(slot: Slot): string | null {
  if (slot.type !== "thing" && slot.type !== "word" && slot.type !== "boolean") return null;
  const value = slot.kind ?? slot.value;
  return value.length <= LONGEST_VALUE ? value : null;
}
