// Mutation: one patch of test/mutations that breaks one rule. The file begins with
//
//   Rule: K2
//   Breaks: the message is not deleted with its step.
//   Tests: test/core/store.test.ts
//   Build: yes          (only when the tests run against dist)
//
// and goes on with the difference as `git diff` writes it. Its name is `<rule>-<short-name>.patch`.

import { rulesIn } from './titles.mjs';

/**
 * @typedef {object} Mutation
 * @property {string} rule
 * @property {string} name    the file's name without `.patch`
 * @property {string} breaks
 * @property {string[]} tests test files
 * @property {boolean} needsBuild
 */
/** @typedef {'killed' | 'survived' | 'broken'} Verdict */
/** @typedef {{ verdict: Verdict, detail: string }} Judgement */

/** Every built rule of these groups needs a mutation. */
const guardedGroups = /^[KMTC]\d/;
const fileName = /^([A-Z]+\d+[a-z]?)-[a-z0-9-]+\.patch$/;

/**
 * @param {string} file the file's name
 * @param {string} text
 * @returns {Mutation}
 * @throws {Error} naming what is wrong with the file
 */
export function readMutation(file, text) {
  const [head = '', ...differences] = text.split(/^(?=diff --git |--- )/m);
  const rule = field(head, 'Rule');
  const breaks = field(head, 'Breaks');
  const tests = field(head, 'Tests')
    .split(/[\s,]+/)
    .filter(Boolean);
  if (fileName.exec(file)?.[1] !== rule || rule === '')
    fail(file, 'name it <its Rule>-<short-name>.patch');
  if (breaks === '') fail(file, 'say in "Breaks:" what the patch breaks');
  if (tests.length === 0) fail(file, 'name in "Tests:" the files that must turn red');
  if (differences.length === 0) fail(file, 'no difference follows the header');
  if (/^(\+\+\+|---) [ab]\/test\//m.test(text))
    fail(file, 'it changes a test; break the code instead');
  return {
    rule,
    name: file.replace(/\.patch$/, ''),
    breaks,
    tests,
    needsBuild: field(head, 'Build') === 'yes',
  };
}

/**
 * @param {string} head
 * @param {string} name
 */
function field(head, name) {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
}

/**
 * @param {string} file
 * @param {string} problem
 * @returns {never}
 */
function fail(file, problem) {
  throw new Error(`test/mutations/${file}: ${problem}`);
}

/**
 * For vitest's `-t`: the names that have the rule's tag in them.
 * @param {string[]} rules
 */
export function namePattern(rules) {
  return `\\[[^\\]]*\\b(${rules.join('|')})\\b[^\\]]*\\]`;
}

/**
 * What a test run on the mutated code says. Killed is only said for a failing test of that rule.
 * @param {Mutation} mutation
 * @param {import('./count.mjs').Report & { output: string, isLate: boolean }} report
 * @returns {Judgement}
 */
export function judge({ rule }, report) {
  const killer = report.failures.find(({ titles }) =>
    titles.some((title) => rulesIn(title).includes(rule)),
  );
  if (killer !== undefined) return { verdict: 'killed', detail: killer.titles.join(' > ') };
  if (report.isLate) return { verdict: 'broken', detail: 'the tests did not end' };
  if (report.brokenFiles.length > 0) {
    return { verdict: 'broken', detail: `does not load: ${report.brokenFiles.join(', ')}` };
  }
  if (report.failed > 0) return { verdict: 'broken', detail: `failed, but in no test of ${rule}` };
  if (report.passed === 0)
    return { verdict: 'broken', detail: `its test files have no test of ${rule}` };
  return { verdict: 'survived', detail: '' };
}

/**
 * @param {{ id: string, state: string }[]} rules
 * @param {Mutation[]} mutations
 * @returns {string[]} built rules that no mutation breaks
 */
export function unguardedRules(rules, mutations) {
  const broken = new Set(mutations.map((mutation) => mutation.rule));
  return rules
    .filter(({ id, state }) => state === 'built' && guardedGroups.test(id) && !broken.has(id))
    .map(({ id }) => id);
}
