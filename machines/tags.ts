// Tags: what a state waits for, as every machine of Troupe and its inspector say it.

/**
 * The tags of waiting. Each state that is not settled has at least one of the first four.
 * - `call`: a call is open.
 * - `timer`: an armed timer moves it.
 * - `person`: somebody has to decide.
 * - `outside`: an event of another actor or system.
 * - `settled`: nothing more will happen by itself. It is not XState's final: a settled actor may still answer.
 */
export const WAITING_TAGS = ['call', 'timer', 'person', 'outside', 'settled'] as const;

export type WaitingTag = (typeof WAITING_TAGS)[number];

/** The waiting tags among the tags of a snapshot or of a summary, in the order of `WAITING_TAGS`. */
export function waitingTags(tags: Iterable<string>): WaitingTag[] {
  const present = new Set(tags);
  return WAITING_TAGS.filter((tag) => present.has(tag));
}
