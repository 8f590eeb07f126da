// Imports: everything by which one source file names another or a package.

import { isA, isNode, knownTexts, lineAt, nodesIn, parseSource, walk } from './syntax.mjs';

/** @typedef {import('./syntax.mjs').Node} Node */
/** @typedef {'static' | 'type' | 'dynamic' | 'url'} Kind */
/**
 * @typedef {object} Import
 * @property {string} specifier  as written; the fixed start of it when the rest is computed
 * @property {Kind} kind         `url` is `new URL('./x.ts', import.meta.url)` and the like
 * @property {number} line
 */

/**
 * @param {string} path
 * @param {string} text
 * @returns {{ imports: Import[], error: string | undefined }}
 */
export function readImports(path, text) {
  const { program, error } = parseSource(path, text);
  /** @type {Import[]} */
  const imports = [];
  walk(program, (node) => {
    for (const { specifier, kind } of importsOf(node)) {
      imports.push({ specifier, kind, line: lineAt(text, node.start) });
    }
  });
  return { imports, error };
}

/**
 * @param {Node} node
 * @returns {{ specifier: string, kind: Kind }[]}
 */
function importsOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
      return named(node['source'], node['importKind'] === 'type' ? 'type' : 'static');
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return named(node['source'], node['exportKind'] === 'type' ? 'type' : 'static');
    case 'ImportExpression':
      return named(node['source'], 'dynamic');
    case 'TSImportType':
      return named(node['source'], 'type');
    case 'TSExternalModuleReference':
      return named(node['expression'], 'static');
    case 'NewExpression':
      return isUrlBesideThisFile(node) ? named(firstArgument(node), 'url').map(asRelative) : [];
    case 'CallExpression':
      return named(firstArgument(node), kindOfCall(node['callee']));
    default:
      return [];
  }
}

/**
 * @param {unknown} expression
 * @param {Kind | undefined} kind
 */
function named(expression, kind) {
  if (kind === undefined) return [];
  return knownTexts(expression).map(({ text }) => ({ specifier: text, kind }));
}

/**
 * `new URL('x.ts', base)` means './x.ts', unlike in an import.
 * @param {{ specifier: string, kind: Kind }} each
 */
function asRelative({ specifier, kind }) {
  const isRelative = !/^(\.|\/|[a-z]+:)/.test(specifier);
  return { specifier: isRelative ? `./${specifier}` : specifier, kind };
}

/** @param {Node} node */
function isUrlBesideThisFile(node) {
  const base = nodesIn(node['arguments'])[1];
  return (
    isNamed(node['callee'], 'URL') &&
    isA(base, 'MemberExpression') &&
    isA(base['object'], 'MetaProperty')
  );
}

/**
 * @param {unknown} callee
 * @returns {Kind | undefined}
 */
function kindOfCall(callee) {
  if (isNamed(callee, 'require')) return 'dynamic';
  if (!isA(callee, 'MemberExpression') || !isNamed(callee['property'], 'resolve')) return undefined;
  const isResolver = isA(callee['object'], 'MetaProperty') || isNamed(callee['object'], 'require');
  return isResolver ? 'url' : undefined;
}

/** @param {Node} node */
function firstArgument(node) {
  return nodesIn(node['arguments'])[0];
}

/**
 * @param {unknown} node
 * @param {string} name
 */
function isNamed(node, name) {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name;
}
