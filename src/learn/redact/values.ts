// What stands after `password=`: a secret, or something that only stands where a secret would.

const STOP_WORDS = new Set(
  (
    "string str text number int integer float bool boolean bytes byte char varchar object array list dict map any unknown never void " +
    "null nil none undefined true false yes no on off empty blank optional required nullable invalid incorrect wrong missing " +
    "expired expires hidden visible masked redacted removed omitted unset set disabled enabled default secure weak strong short " +
    "input prompt env environ process self this user admin-only type field value name label placeholder flag option argument " +
    "parameter parameters below above here see the a an is are was be must should may can not your my our new old same " +
    "for of to in with and or if as at by from on it that this please enter provide provided confirm confirmation reset " +
    "changed change forgot forgotten show hide accepted rejected denied failed passed ok valid authentication authorization " +
    "login auth basic bearer digest oauth oauth2 ntlm saml plain plaintext hashed encrypted bcrypt n/a todo tbd " +
    "example sample dummy test let const var return await async function lambda class def public private static final inherit"
  ).split(" "),
);

const SECRET_WORD =
  /^(?:new|old|my|your|the|user|db|client|api|access|current|confirm)?[_-]?(?:pass(?:word|wd|phrase|code|wort)?|pwd|secret|tokens?|keys?|api[_-]?keys?|credentials?|creds)$/i;

/** Words that make a sentence of what stands between quotes: a message about a password, not one. */
const PROSE =
  /(?:^|\s)(?:is|are|be|must|should|the|your|you|not|this|that|please|enter|at|to|of|or|and|for|a|an|has|have|was|with|field|required|invalid|incorrect)(?=[\s.,!?]|$)/i;

/** Stands where a secret would, also between quotes. */
const STAND_IN = anyOf(
  /^(?:<[^<>]{0,80}>|\[[^[\]]{0,80}\]|\([^()]{0,80}\)|\{{1,2}[^{}]{0,80}\}{1,2})$/,
  /^[*•.xX_?#-]{1,200}$/, // masked
  /^\$(?:[{(]|\d|[A-Z_][A-Z0-9_]{0,60}$|[a-z_]{1,60}$|\w{1,60}(?:->|\[|\())/, // $VAR, ${VAR}, $(command), $row[...
  /^%[A-Za-z_]{1,60}%$|^%[-+# 0]?[a-z]$/, // %VAR%, %s
  /^[A-Z]{1,40}(?:_[A-Z]{1,40}){1,8}$/, // CONSTANT_NAME
  /^(?:[Yy]our|YOUR|my|some|insert|enter|replace|example|dummy|sample)[-_ ]/,
  /^[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\//, // a URL has its own finder
  /^(?:~|\.{1,2})?\/?(?:[A-Za-z_.-]{1,60}\/){1,20}[A-Za-z_.-]{0,60}$|^[A-Za-z]:\\/, // a path
  /\b(?:required|nullable|confirmed)\b|\b(?:min|max):\d/, // validation rules
  /REDACTED|[Rr]edacted|\bmasked\b|^not[ _-]set$/,
);

/** Stands where a secret would if there are no quotes around it: code. */
const EXPRESSION = anyOf(
  /^[<[{(]/,
  /^[:@][A-Za-z_]{1,60}$/, // :name and @name in SQL
  /^[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,8}[([]/, // a call or a look-up
  /^[A-Za-z_$]{1,60}(?:\.[a-zA-Z_$]{1,60}){1,8}$/, // a.b.c
);

/** One expression for many: a value is asked once, not once for each. */
function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((pattern) => pattern.source).join("|"));
}

/** Stands for a secret, names one or speaks of one, but is none. */
export function isInert(value: string, quoted: boolean): boolean {
  if (value.length < 3) return true;
  const head = value.slice(0, 200);
  if (STAND_IN.test(head) || (!quoted && EXPRESSION.test(head))) return true;
  if (head.length < 40 && (STOP_WORDS.has(head.toLowerCase()) || SECRET_WORD.test(head))) return true;
  return /\s/.test(head) && PROSE.test(head) && head.split(/\s+/).every(isWordOrCount);
}

function isWordOrCount(word: string): boolean {
  return /^[("'`]{0,2}(?:[A-Za-z]{1,30}(?:[-'’/][A-Za-z]{1,30}){0,3}|\d{0,6})[.,:;!?)"'`]{0,3}$/.test(word);
}

/** A word as it could stand in a sentence or be the name of a type: `required`, `Case-sensitive`, `don't`, `BinaryLike`. */
export function isPlainWord(value: string): boolean {
  return value.length <= 60 && /^[A-Za-z]{1,40}(?:[-'_.][A-Za-z]{1,40}){0,6}[.,!?:]?$/.test(value);
}

/**
 * Made by a machine: no words, no plain numbers, dates or versions, but a stretch in which letters and digits mix, or a
 * long one of mixed case or of digits only.
 */
export function looksRandom(value: string): boolean {
  const head = value.slice(0, 128);
  if (head.length < 10 || !/\d|[a-z][A-Z]/.test(head) || /\s/.test(head)) return false;
  if (/^\d{1,14}$|^\d{4}-\d\d-\d\d|^v?\d{1,5}(?:\.\d{1,5}){1,4}/.test(head)) return false;
  const stretches = head.split(/[^A-Za-z0-9]+/);
  return stretches.some(isRandomStretch) && bitsPerCharacter(head) >= 2.5;
}

function isRandomStretch(stretch: string): boolean {
  if (stretch.length < 8) return false;
  const digits = stretch.replace(/\D+/g, "").length;
  if (digits === stretch.length) return digits >= 15;
  if (digits >= 2) return true;
  if (stretch.length < 14 || !/[a-z]/.test(stretch) || !/[A-Z]/.test(stretch)) return false;
  // A name has a capital letter where a word begins; chance has one at every other place.
  const capitals = stretch.replace(/[^A-Z]+/g, "").length;
  const changes = stretch.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return capitals >= stretch.length / 3 || changes >= stretch.length * 0.36;
}

/** Shannon entropy: how many different characters there are, and how evenly. */
function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
