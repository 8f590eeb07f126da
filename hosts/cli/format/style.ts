// Style: the few colours of the command line. Pure.

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'warn' | 'bad';

/** Colours a text, or leaves it as it is where colours are not wanted. */
export type Paint = (tone: Tone, text: string) => string;

const CODES: Readonly<Record<Exclude<Tone, 'plain'>, readonly [number, number]>> = {
  dim: [2, 22],
  bold: [1, 22],
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
};

export const plainPaint: Paint = (_tone, text) => text;

export const colourPaint: Paint = (tone, text) => {
  if (tone === 'plain' || text === '') return text;
  const [on, off] = CODES[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
