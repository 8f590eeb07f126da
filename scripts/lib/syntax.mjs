// Syntax: source text to a syntax tree (ESTree with TypeScript nodes), by the parser that vite
// brings. TypeScript 7 has no parser for programs yet.

import { parseSync } from 'vite';

/** @typedef {{ type: string, start: number, end: number } & Record<string, unknown>} Node */

/**
 * @param {string} path
 * @param {string} text
 * @returns {{ program: Node, error: string | undefined }}
 */
export function parseSource(path, text) {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' });
  return {
    program: /** @type {Node} */ (/** @type {unknown} */ (program)),
    error: errors[0]?.message,
  };
}

/**
 * Calls `visit` for every node, outermost first. Where it answers false, what lies inside is left
 * out.
 * @param {Node} node
 * @param {(node: Node) => boolean | void} visit
 */
export function walk(node, visit) {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
export function childrenOf(node) {
  return Object.values(node).flat().filter(isNode);
}

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
export function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/**
 * @param {unknown} value
 * @param {string} type
 * @returns {value is Node}
 */
export function isA(value, type) {
  return isNode(value) && value.type === type;
}

/**
 * What an expression is known to begin with: the text of a string, the fixed start of a template or
 * of a sum, each branch of a condition.
 * @param {unknown} expression
 * @returns {{ text: string, whole: boolean }[]} `whole` when nothing follows the text
 */
export function knownTexts(expression) {
  if (!isNode(expression)) return [];
  switch (expression.type) {
    case 'Literal':
      return typeof expression['value'] === 'string'
        ? [{ text: expression['value'], whole: true }]
        : [];
    case 'TemplateLiteral':
      return templateStart(expression);
    case 'BinaryExpression':
      return knownTexts(expression['left']).map(({ text }) => ({ text, whole: false }));
    case 'ConditionalExpression':
      return [...knownTexts(expression['consequent']), ...knownTexts(expression['alternate'])];
    case 'LogicalExpression':
      return [...knownTexts(expression['left']), ...knownTexts(expression['right'])];
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return knownTexts(expression['expression']);
    default:
      return [];
  }
}

/** @param {Node} template */
function templateStart(template) {
  const quasis = nodesIn(template['quasis']);
  const value = /** @type {{ cooked?: string } | undefined} */ (quasis[0]?.['value']);
  return [{ text: value?.cooked ?? '', whole: quasis.length === 1 }];
}

/**
 * @param {unknown} list
 * @returns {Node[]}
 */
export function nodesIn(list) {
  return Array.isArray(list) ? list.filter(isNode) : [];
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {number} the line, from 1
 */
export function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}
