// Intervention: what an operator has done, in words. Interventions come from stored JSON, so nothing is taken for granted.

type Stored = Readonly<Record<string, unknown>>;

/** `retry by ann: the disk was mended` */
export function interventionText(event: unknown): string {
  return `${deedText(event)}: ${reasonOf(event)}`;
}

/** `retry by ann` */
export function deedText(event: unknown): string {
  const { type, by } = (event ?? {}) as Stored;
  return `${text(type).replace(/^troupe\./, '')} by ${text(by)}`;
}

/** Why, and on which message. */
export function reasonOf(event: unknown): string {
  const { reason, message } = (event ?? {}) as Stored;
  return typeof message === 'number' ? `${text(reason)} (message ${message})` : text(reason);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '?';
}
