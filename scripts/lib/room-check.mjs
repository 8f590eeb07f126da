// Room check: compares the imports of source files with the table of rooms.

import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { readImports } from './imports.mjs';

/**
 * @typedef {object} Room
 * @property {string} folder       the folder; the longest that fits a file counts
 * @property {string[]} rooms      folders and files that it may import besides itself; '*' is all
 * @property {string[]} [lazyRooms] what it may import by `import()`, or as a type, only
 * @property {string[]} packages   'node:*' is every built-in module, '*' is everything
 */
/** @typedef {{ paths: string[], without: string[] }} Purity */
/** @typedef {{ file: string, line: number, problem: string }} Breach */
/** @typedef {import('./imports.mjs').Import} Import */
/** @typedef {Import & { target: string | undefined }} Resolved `target` is a path in the repository */

/**
 * @param {{ files: Map<string, string>, rooms: Room[], purity: Purity }} repository
 *   files by their path from the root
 * @returns {Breach[]}
 */
export function checkRooms({ files, rooms, purity }) {
  /** @type {Map<string, Resolved[]>} */
  const imports = new Map();
  /** @type {Breach[]} */
  const breaches = [];
  for (const [file, text] of files) {
    const read = readImports(file, text);
    if (read.error !== undefined) breaches.push({ file, line: 1, problem: read.error });
    const resolved = read.imports.map((each) => ({ ...each, target: targetOf(file, each) }));
    imports.set(file, resolved);
    breaches.push(...checkFile(file, resolved, rooms));
  }
  for (const file of imports.keys()) {
    if (isPure(file, purity)) breaches.push(...checkPurity(file, imports, purity));
  }
  return withoutDoubles(breaches);
}

/**
 * @param {string} file
 * @param {Resolved[]} imports
 * @param {Room[]} rooms
 * @returns {Breach[]}
 */
function checkFile(file, imports, rooms) {
  if (!file.includes('/')) return [];
  const room = roomOf(file, rooms);
  if (room === undefined) {
    return [{ file, line: 1, problem: 'lies in no room; add its folder to scripts/rooms.mjs' }];
  }
  return imports
    .filter((each) => !mayImport(room, each))
    .map((each) => ({ file, line: each.line, problem: explain(room, each) }));
}

/**
 * @param {Room} room
 * @param {Resolved} each
 */
function mayImport(room, { target, specifier, kind }) {
  if (target === undefined) return isListed(packageOf(specifier), room.packages);
  // A type loads nothing.
  const lazyRooms = kind === 'dynamic' || kind === 'type' ? (room.lazyRooms ?? []) : [];
  return [room.folder, ...room.rooms, ...lazyRooms].some((allowed) => isIn(target, allowed));
}

/**
 * @param {Room} room
 * @param {Resolved} each
 */
function explain(room, { target, specifier }) {
  const bare = target === undefined && builtinModules.includes(specifier);
  if (bare) return `imports ${specifier}; write node:${specifier}`;
  const lazily = (room.lazyRooms ?? []).map((each) => `${each} (only by import(), or as a type)`);
  const may = [`${room.folder} itself`, ...room.rooms, ...lazily, ...room.packages];
  return `imports ${target ?? specifier}; ${room.folder} may import ${may.join(', ')}`;
}

/**
 * Follows what a pure file loads at run time until it meets a package that it must do without.
 * @param {string} file
 * @param {Map<string, Resolved[]>} imports
 * @param {Purity} purity
 * @returns {Breach[]}
 */
function checkPurity(file, imports, purity) {
  /** @type {Breach[]} */
  const breaches = [];
  for (const each of imports.get(file) ?? []) {
    const way = wayToImpurity(each, imports, purity, new Set([file]));
    if (way === undefined) continue;
    const problem = `must stay pure, and imports ${way.join(' -> ')}`;
    breaches.push({ file, line: each.line, problem });
  }
  return breaches;
}

/**
 * @param {Resolved} each
 * @param {Map<string, Resolved[]>} imports
 * @param {Purity} purity
 * @param {Set<string>} seen
 * @returns {string[] | undefined}
 */
function wayToImpurity(each, imports, purity, seen) {
  const { target, specifier, kind } = each;
  if (target === undefined) {
    return isListed(packageOf(specifier), purity.without) ? [specifier] : undefined;
  }
  if (kind === 'type' || seen.has(target)) return undefined;
  seen.add(target);
  for (const next of imports.get(target) ?? []) {
    if (next.kind === 'type') continue;
    const way = wayToImpurity(next, imports, purity, seen);
    if (way !== undefined) return [target, ...way];
  }
  return undefined;
}

/**
 * Where an import leads, as a path from the root; undefined for a package. What lies above the root
 * (package.json, seen from dist) counts as lying in it.
 * @param {string} file
 * @param {Import} each
 */
function targetOf(file, { specifier }) {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(file), specifier).replace(/^(\.\.\/)+/, '');
  return path.replace(/\.js$/, '.ts');
}

/** @param {string} specifier */
function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * @param {string} name
 * @param {string[]} list
 */
function isListed(name, list) {
  return (
    list.includes('*') ||
    list.includes(name) ||
    (name.startsWith('node:') && list.includes('node:*'))
  );
}

/**
 * @param {string} path
 * @param {string} allowed a folder, a file or '*'
 */
function isIn(path, allowed) {
  return allowed === '*' || path === allowed || path.startsWith(`${allowed}/`);
}

/**
 * @param {string} file
 * @param {Room[]} rooms
 * @returns {Room | undefined}
 */
function roomOf(file, rooms) {
  const fitting = rooms.filter((room) => isIn(file, room.folder));
  return fitting.sort((a, b) => b.folder.length - a.folder.length)[0];
}

/**
 * @param {string} file
 * @param {Purity} purity
 */
function isPure(file, purity) {
  return purity.paths.some((path) => file.startsWith(path));
}

/** @param {Breach[]} breaches */
function withoutDoubles(breaches) {
  /** @type {Map<string, Breach>} */
  const first = new Map();
  for (const breach of breaches) {
    const key = `${breach.file}:${breach.line}`;
    if (!first.has(key)) first.set(key, breach);
  }
  return [...first.values()].sort((a, b) =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line,
  );
}
