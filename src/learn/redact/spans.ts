/** One stretch of a text that must not be kept: `text.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** What it is, as it will stand in the placeholder: `github_token` gives `<github_token_1>`. */
  readonly kind: string;
}

/** Looks through one text and adds what it finds. Must take time linear in the text, whatever the text. */
export type Finder = (text: string, spans: Span[]) => void;

const PLACEHOLDER = /<[a-z][a-z0-9_]{0,40}_\d{1,9}>/g;

/** The placeholders that already stand in a text, from an earlier redaction or from the caller's own. */
export function placeholdersIn(text: string): Span[] {
  if (!text.includes("<")) return [];
  return Array.from(text.matchAll(PLACEHOLDER), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    kind: match[0],
  }));
}

/**
 * Sorted and without overlaps. Where two overlap, both are hidden: the earlier one grows. Where two cover the same
 * stretch, the one found first names it, so the specific finders run before the general ones.
 */
export function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { ...last, end: span.end };
  }
  return result;
}

/** Those of `spans` that touch none of `others`; both sorted and without overlaps. */
export function apartFrom(spans: readonly Span[], others: readonly Span[]): Span[] {
  let next = 0;
  return spans.filter((span) => {
    while (next < others.length && (others[next]?.end ?? 0) <= span.start) next += 1;
    return (others[next]?.start ?? Infinity) >= span.end;
  });
}
