/** What a turn claims in words: how sure of itself it is, and which figures it brings. */
export interface Claims {
  /** How often it speaks of assumed, sample or made-up data. */
  readonly assumes: number;
  /** How often it says that something cannot be done. */
  readonly cannot: number;
  /** Whether it tells of findings. */
  readonly reportsWork: boolean;
  /** Different numbers in its prose, outside code. */
  readonly figures: readonly string[];
  /** Different numbers that a reader has seen once the turn is over, its code and its result included. */
  readonly shown: readonly string[];
}

const READ_LIMIT = 4_000;
const ASSUMES =
  /\b(?:assum\w{1,6}|hypothetical\w{0,2}|placeholders?|mock\w{0,3}|simulat\w{1,4}|sample|dummy|fictional|fabricat\w{1,4}|suppose|presum\w{1,5}|estimate[ds]?|typically|approximate\w{0,2}|likely|your[_-]\w{1,30}|your api|example\.com|path_?\/?to|from my knowledge|general knowledge|in general)\b/gi;
const CANNOT =
  /\b(?:unable|can(?:no|')t|could ?n[o']t|not (?:available|possible|accessible|able)|do(?:es)? not have|don't have|manual(?:ly)?|failed to|no access|inaccessible)\b/gi;
const REPORTS =
  /\b(?:after (?:review|search|check|visit|analy|examin)\w{0,6}|having|i (?:have|found|checked|reviewed|searched)|upon|here (?:is|are)|based on)\b/i;

export function readClaims(decision: string, result: string | null): Claims {
  const body = decision.slice(0, READ_LIMIT);
  const prose = withoutFences(body);
  const figures = numbersIn(prose);
  return {
    assumes: body.match(ASSUMES)?.length ?? 0,
    cannot: prose.match(CANNOT)?.length ?? 0,
    reportsWork: REPORTS.test(prose),
    figures,
    shown: [...new Set([...numbersIn(body), ...numbersIn((result ?? "").slice(0, READ_LIMIT))])],
  };
}

/** Different numbers, without a sentence's full stop. */
export function numbersIn(text: string): string[] {
  return [...new Set(text.match(/\d[\d,.]*/g)?.map((number) => number.replace(/[.,]$/, "")))];
}

function withoutFences(text: string): string {
  if (!text.includes("```")) return text;
  return text
    .split("```")
    .filter((_, at) => at % 2 === 0)
    .join(" ");
}
