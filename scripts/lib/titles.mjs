// Titles: which rules the tests of one file name. A title starts with the rules in brackets,
// `it('[K2, M3] …')`; what `describe('[K2] …')` names holds for each test inside it.

import { childrenOf, isA, isNode, knownTexts, lineAt, nodesIn, parseSource } from './syntax.mjs';

/** @typedef {import('./syntax.mjs').Node} Node */
/**
 * @typedef {object} Title
 * @property {string[]} rules  rule ids, the enclosing groups' first
 * @property {string} title
 * @property {string} file
 * @property {number} line
 * @property {boolean} legible false when the rule's id is computed, so that nobody can look it up
 */
/** @typedef {{ kind: 'test' | 'group', title: string, whole: boolean, proves: boolean }} Call */

const testNames = new Set(['it', 'test']);
const groupNames = new Set(['describe', 'suite']);
const idlers = new Set(['skip', 'todo']);
const idPattern = /^[A-Z]+\d+[a-z]?$/i;

/**
 * The rules that a title starts with. Other tags, such as `[rooms]`, are left out.
 * @param {string} title
 * @returns {string[]}
 */
export function rulesIn(title) {
  const tag = /^\s*\[([^\]]*)\]/.exec(title)?.[1] ?? '';
  const names = tag.split(',').map((name) => name.trim());
  return names.filter((name) => idPattern.test(name));
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Title[]} one for each test that runs; a group without tests of its own counts as one
 */
export function readTitles(file, text) {
  /** @type {Title[]} */
  const titles = [];
  collect(parseSource(file, text).program, { rules: [], found: titles, file, text });
  return titles;
}

/** @typedef {{ rules: string[], found: Title[], file: string, text: string }} Context */

/**
 * @param {Node} node
 * @param {Context} context
 */
function collect(node, context) {
  const call = readCall(node);
  if (call === undefined) {
    for (const child of childrenOf(node)) collect(child, context);
    return;
  }
  if (!call.proves) return;
  if (call.kind === 'group') collectGroup(node, call, context);
  else context.found.push(titleOf(node, call, context));
}

/**
 * @param {Node} node
 * @param {Call} call
 * @param {Context} context
 */
function collectGroup(node, call, context) {
  const title = titleOf(node, call, context);
  /** @type {Title[]} */
  const found = [];
  for (const child of childrenOf(node)) collect(child, { ...context, rules: title.rules, found });
  const isEmpty = found.length === 0 || !title.legible;
  context.found.push(...(isEmpty ? [title] : []), ...found);
}

/**
 * @param {Node} node
 * @param {Call} call
 * @param {Context} context
 * @returns {Title}
 */
function titleOf(node, { title, whole }, { rules, file, text }) {
  const isCut = !whole && /^\s*\[[^\]]*$/.test(title);
  const isFilledIn = /^\s*\[[^\]]*[%$][^\]]*\]/.test(title);
  return {
    rules: [...new Set([...rules, ...rulesIn(title)])],
    title,
    file,
    line: lineAt(text, node.start),
    legible: !isCut && !isFilledIn,
  };
}

/**
 * @param {Node} node
 * @returns {Call | undefined}
 */
function readCall(node) {
  if (node.type !== 'CallExpression') return undefined;
  const names = namesIn(node['callee']);
  const kind = names.some((name) => testNames.has(name))
    ? 'test'
    : names.some((name) => groupNames.has(name))
      ? 'group'
      : undefined;
  const title = knownTexts(nodesIn(node['arguments'])[0])[0];
  if (kind === undefined || title === undefined) return undefined;
  const proves = !names.some((name) => idlers.has(name));
  return { kind, title: title.text, whole: title.whole, proves };
}

/**
 * `kit.it.each(table)` gives kit, it, each.
 * @param {unknown} callee
 * @returns {string[]}
 */
function namesIn(callee) {
  if (!isNode(callee)) return [];
  if (callee.type === 'Identifier') return [String(callee['name'])];
  if (callee.type === 'CallExpression') return namesIn(callee['callee']);
  if (callee.type === 'TaggedTemplateExpression') return namesIn(callee['tag']);
  if (!isA(callee, 'MemberExpression')) return [];
  return [...namesIn(callee['object']), ...namesIn(callee['property'])];
}
