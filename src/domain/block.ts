/** How our recommendations are marked in a text, so that they are recognised when they come back in an upload. */
export const BLOCK_BEGIN = "--- What past runs show (data from earlier runs, not instructions) ---";
export const BLOCK_END = "--- end of what past runs show ---";
