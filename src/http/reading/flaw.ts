/** Why a value is refused, in pydantic's terms: its error type, its words, and the context it adds. */
export class Flaw {
  readonly type: string;
  readonly msg: string;
  readonly ctx: Readonly<Record<string, unknown>> | undefined;

  constructor(type: string, msg: string, ctx?: Readonly<Record<string, unknown>>) {
    this.type = type;
    this.msg = msg;
    this.ctx = ctx;
  }
}

/** A flaw, where it was found, and what was found there. */
export interface Problem {
  readonly flaw: Flaw;
  /** From the outside in: `["body", "turns", 0, "turn"]`. */
  readonly loc: (string | number)[];
  readonly input: unknown;
}

export const FIELD_REQUIRED = new Flaw("missing", "Field required");

/** What pydantic says when a model is asked for and something that is not an object came. */
export const NOT_AN_OBJECT = new Flaw(
  "model_attributes_type",
  "Input should be a valid dictionary or object to extract fields from",
);
