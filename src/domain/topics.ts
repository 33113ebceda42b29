/** The names under which insights and tallies are found again. One place, so that learning and advising agree. */
export const topics = {
  /** What is known about one kind of request. */
  family: (familyId: string) => `family:${familyId}`,
  tool: (name: string) => `tool:${name.toLowerCase()}`,
  thing: (noun: string) => `thing:${noun.toLowerCase()}`,

  /** Tally of a family's episodes; its only key is `ALL`. */
  episodes: (familyId: string) => `episodes:${familyId}`,
  /** Tally of the steps that a family's episodes took. */
  steps: (familyId: string) => `steps:${familyId}`,
  /** Tally of the words of a family's requests. */
  words: (familyId: string) => `words:${familyId}`,
  /** Tally of the types of agents that a family's requests came from. */
  agents: (familyId: string) => `agents:${familyId}`,
  /** Tally of how often a word stands in requests. */
  asked: "asked",
  /** Tally of how often a word of a request was the value of an action: what varies from task to task. */
  value: "value",
  /** Tally of results after which nothing had happened. */
  noop: "noop",
} as const;

export const ALL = "all";
