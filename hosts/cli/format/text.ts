// Text: what a terminal may be given, how wide it is there, and how it is cut or wrapped. Pure.

const CONTROL = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const COLOUR = /\p{Cc}\[[0-9;]*m/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

const ASCII = /^[ -~]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A number as people read it: 12,345. */
export function counted(number: number): string {
  return number.toLocaleString('en');
}

/** `1 state`, `12,345 states`. */
export function countOf(number: number, noun: string): string {
  return `${counted(number)} ${number === 1 ? noun : `${noun}s`}`;
}

/** Makes control characters visible: what is stored must not steer the terminal of who looks at it. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Columns that a text takes on a terminal. Colours take none. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text.replace(COLOUR, ''))) width += cellsOf(segment);
  return width;
}

function cellsOf(grapheme: string): number {
  return WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}

/** Cuts a text to a width; what is left out at its end, or in its middle, leaves an ellipsis. */
export function fit(text: string, width: number, where: 'end' | 'middle' = 'end'): string {
  if (widthOf(text) <= width) return text;
  if (width <= 1) return width === 1 ? '…' : '';
  const tailWidth = where === 'middle' ? Math.floor((width - 1) / 2) : 0;
  return `${head(text, width - 1 - tailWidth)}…${tail(text, tailWidth)}`;
}

function head(text: string, width: number): string {
  let taken = '';
  let left = width;
  for (const { segment } of graphemes.segment(text)) {
    left -= cellsOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
}

function tail(text: string, width: number): string {
  let taken = '';
  let left = width;
  for (const { segment } of [...graphemes.segment(text)].toReversed()) {
    left -= cellsOf(segment);
    if (left < 0) break;
    taken = segment + taken;
  }
  return taken;
}

export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(width - widthOf(text), 0));
  return align === 'left' ? text + spaces : spaces + text;
}

/** Breaks a text into lines between words; a word that is wider than a line is broken itself. */
export function wrap(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, Math.max(width, 1)))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width || line === '') {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Keeps the spaces at its beginning, which a list or JSON is indented by. */
export function wrapIndented(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const room = Math.max(width - indent.length, 1);
  return wrap(text.slice(indent.length), room).map((line) => indent + line);
}

function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (widthOf(rest) > width) {
    const part = head(rest, width) || rest.slice(0, 1);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}
