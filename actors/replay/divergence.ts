// Divergence: where a replay and the journal part, and what differs there. Pure.

/** One place where the two differ. Values are JSON, shortened; absent where there is nothing. */
export interface Difference {
  /** A JSON path: `$.context.items[3]`. */
  readonly path: string;
  readonly journal: string | undefined;
  readonly replay: string | undefined;
}

/** The first row of a journal that the step does not repeat, or the stored actor that it does not end in. */
export interface Divergence {
  /** The journal row; for the stored actor, its last one. */
  readonly seq: number;
  /** The revision that the row made, or the one before it where it made none. */
  readonly revision: number;
  /**
   * What differs. `event`: the stored event cannot be read. `late`: one of the two moved the actor, the other not.
   * `throw`: the step throws, and did not. `snapshot`, `armings`, `status`: the stored actor is another than its journal
   * leads to.
   */
  readonly what:
    | 'revision'
    | 'state'
    | 'effects'
    | 'checkpoint'
    | 'late'
    | 'throw'
    | 'event'
    | 'snapshot'
    | 'armings'
    | 'status';
  /** At most 20. */
  readonly differences: readonly Difference[];
  /** There are more differences than these. */
  readonly isCut: boolean;
}

/** Differences that one divergence names. */
const DIFFERENCES_MAX = 20;
/** What is shown of one value. Characters of JSON. */
const VALUE_CHARACTERS_MAX = 200;

/** Compares two stored texts: by their JSON, or else by the place of the first character that differs. */
export function divergenceOf(
  place: Pick<Divergence, 'seq' | 'revision' | 'what'>,
  journal: string | null | undefined,
  replay: string | null | undefined,
): Divergence {
  const found = [...differencesOf(journal ?? undefined, replay ?? undefined)];
  return {
    ...place,
    differences: found.slice(0, DIFFERENCES_MAX),
    isCut: found.length > DIFFERENCES_MAX,
  };
}

/** What happened, in words, where there are no two texts to compare. */
export function divergenceInWords(
  place: Pick<Divergence, 'seq' | 'revision' | 'what'>,
  journal: string,
  replay: string,
): Divergence {
  return { ...place, differences: [{ path: '$', journal, replay }], isCut: false };
}

function differencesOf(journal: string | undefined, replay: string | undefined): Difference[] {
  const [before, after] = [parsed(journal), parsed(replay)];
  if (before === undefined || after === undefined) return [textDifference(journal, replay)];
  const found: Difference[] = [];
  collect('$', before.value, after.value, found);
  // Equal as JSON, and not to the byte: keys in another order, or white space.
  return found.length === 0 ? [textDifference(journal, replay)] : found;
}

function parsed(text: string | undefined): { readonly value: unknown } | undefined {
  if (text === undefined) return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Damaged: it is compared as the text that it is.
    return undefined;
  }
}

function collect(path: string, before: unknown, after: unknown, found: Difference[]): void {
  // One more than is named, to know that there are more.
  if (found.length > DIFFERENCES_MAX || Object.is(before, after)) return;
  if (
    !isContainer(before) ||
    !isContainer(after) ||
    Array.isArray(before) !== Array.isArray(after)
  ) {
    found.push({ path, journal: shown(before), replay: shown(after) });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const step = Array.isArray(before) ? `[${key}]` : stepOf(key);
    collect(`${path}${step}`, partOf(before, key), partOf(after, key), found);
  }
}

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function partOf(value: Container, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function stepOf(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function shown(value: unknown): string | undefined {
  return value === undefined ? undefined : shortened(JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`;
}

/** Both texts from a little before the first character that differs. */
function textDifference(journal: string | undefined, replay: string | undefined): Difference {
  const begin = Math.max(firstDifference(journal ?? '', replay ?? '') - 20, 0);
  const excerpt = (text: string | undefined) =>
    text === undefined ? undefined : `${begin > 0 ? '…' : ''}${shortened(text.slice(begin))}`;
  return { path: '$', journal: excerpt(journal), replay: excerpt(replay) };
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return index;
}
