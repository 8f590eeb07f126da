// Time: local times and durations, for people. Pure but for the time zone of the process.

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `23:13:05`, with the date before it when it is not today's. */
export function localTime(atMs: number, nowMs: number): string {
  const time = clockTime(atMs);
  return dateOf(atMs) === dateOf(nowMs) ? time : `${dateOf(atMs)} ${time}`;
}

/** `23:13:05.123` */
export function preciseTime(atMs: number): string {
  return `${clockTime(atMs)}.${digits(new Date(atMs).getMilliseconds(), 3)}`;
}

function clockTime(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => digits(part, 2))
    .join(':');
}

function dateOf(atMs: number): string {
  const date = new Date(atMs);
  return `${date.getFullYear()}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

/** The two largest units: `0.4 s`, `12 s`, `3 min 4 s`, `23 h 59 min`, `30 d`. */
export function duration(ms: number): string {
  const rounded = Math.max(ms, 0);
  if (rounded < 10 * SECOND_MS) return `${(Math.floor(rounded / 100) / 10).toFixed(1)} s`;
  if (rounded < MINUTE_MS) return `${Math.floor(rounded / SECOND_MS)} s`;
  if (rounded < HOUR_MS) return units(rounded, MINUTE_MS, 'min', SECOND_MS, 's');
  if (rounded < DAY_MS) return units(rounded, HOUR_MS, 'h', MINUTE_MS, 'min');
  return units(rounded, DAY_MS, 'd', HOUR_MS, 'h');
}

function units(ms: number, large: number, largeName: string, small: number, smallName: string) {
  const count = Math.floor(ms / large);
  const rest = Math.floor((ms - count * large) / small);
  return rest === 0 ? `${count} ${largeName}` : `${count} ${largeName} ${rest} ${smallName}`;
}

/** How long ago, or how long until: `3 s ago`, `in 23 h 59 min`, `overdue by 2 s`. */
export function ago(atMs: number, nowMs: number): string {
  return `${duration(nowMs - atMs)} ago`;
}

export function until(atMs: number, nowMs: number): string {
  return atMs >= nowMs ? `in ${duration(atMs - nowMs)}` : `overdue by ${duration(nowMs - atMs)}`;
}
