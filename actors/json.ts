// JSON: what may be stored. A value round-trips when reading its JSON text gives an equal value (K8).

import { JSON_DEPTH_MAX } from './limits.ts';

/**
 * `exact` is false when a property holds `undefined`, which JSON leaves out, or a number is -0, which it gives back as 0:
 * the value must then be read back before it is used.
 */
export type JsonFinding =
  | { readonly ok: true; readonly exact: boolean }
  | { readonly ok: false; readonly path: string; readonly found: string };

const EXACT: JsonFinding = { ok: true, exact: true };
const INEXACT: JsonFinding = { ok: true, exact: false };

/** Tells whether a value round-trips through JSON, and where it does not. Pure; visits each part once. */
export function inspectJson(value: unknown, path = '', depth = 0): JsonFinding {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return EXACT;
    case 'number':
      if (!Number.isFinite(value)) return { ok: false, path, found: String(value) };
      return Object.is(value, -0) ? INEXACT : EXACT;
    case 'undefined':
      return INEXACT;
    case 'object':
      return value === null ? EXACT : inspectObject(value, path, depth);
    default:
      return { ok: false, path, found: `a ${typeof value}` };
  }
}

function inspectObject(value: object, path: string, depth: number): JsonFinding {
  if (depth >= JSON_DEPTH_MAX) {
    return { ok: false, path, found: `more than ${JSON_DEPTH_MAX} levels, or a circle` };
  }
  if (Array.isArray(value)) return inspectArray(value, path, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.getOwnPropertySymbols(value).length > 0) {
    return { ok: false, path, found: 'an object with a symbol as a key' };
  }
  if (prototype !== Object.prototype && prototype !== null) {
    return { ok: false, path, found: `a ${classOf(value)}` };
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return { ok: false, path, found: 'an object with toJSON' };
  }
  // JSON gives an object of no prototype back as a plain one.
  let exact = prototype !== null;
  for (const [key, part] of Object.entries(value)) {
    const finding = inspectJson(part, path === '' ? key : `${path}.${key}`, depth + 1);
    if (!finding.ok) return finding;
    exact &&= finding.exact;
  }
  return exact ? EXACT : INEXACT;
}

function inspectArray(value: readonly unknown[], path: string, depth: number): JsonFinding {
  let exact = true;
  for (let index = 0; index < value.length; index++) {
    const part = value[index];
    if (part === undefined) return { ok: false, path: `${path}[${index}]`, found: 'undefined' };
    const finding = inspectJson(part, `${path}[${index}]`, depth + 1);
    if (!finding.ok) return finding;
    exact &&= finding.exact;
  }
  const isPlain = Object.getPrototypeOf(value) === Array.prototype;
  if (!isPlain || Object.keys(value).length !== value.length) {
    return { ok: false, path, found: 'an array with properties of its own' };
  }
  return exact ? EXACT : INEXACT;
}

function classOf(value: object): string {
  return value.constructor?.name || 'object of a class';
}

/**
 * JSON text with the keys of every object in order, so that equal content gives equal text. For digests only. Pure.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Where a value is no JSON, and what stands there: `context.when is a Date`. */
export function explainFinding(finding: Extract<JsonFinding, { ok: false }>, what: string): string {
  return `${finding.path === '' ? what : `${what}.${finding.path}`} is ${finding.found}`;
}

/** Reads a stored text; what is damaged is shown as it is, so that looking never fails where the damage is (V8). */
export function parseStored(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { damaged: text };
  }
}
