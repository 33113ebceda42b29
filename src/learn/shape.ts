/** Text without the values of one task, so that two results that say the same are equal. */
export function shapeOf(text: string, limit = 160): string {
  return text
    .slice(0, limit * 3)
    .trim()
    .replace(/\bhttps?:\/\/[^\s"'<>)\]]+/gi, "{url}")
    .replace(/"[^"\n]{1,120}"|`[^`\n]{1,120}`|(?<!\w)'[^'\n]{1,120}'/g, "{text}")
    .replace(/(?<![\w{])(?:[A-Za-z]:\\|~?\/)[\w.@/\\-]{2,}/g, "{path}")
    .replace(/[\w.-]+/g, maskWord)
    .replace(/\s+/g, " ")
    .slice(0, limit);
}

/** A word with digits in it is a value; a bare number stays visible as one. */
function maskWord(word: string): string {
  if (!/\d/.test(word)) return word;
  if (/^\d[\d.-]*$/.test(word)) return "#";
  // `HTTP2` or `E404` says something; a long mix of letters and digits is an id.
  return word.length <= 5 ? word.replace(/\d+/g, "#") : "{id}";
}
