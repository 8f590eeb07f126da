// Mutation: one patch of test/mutations that breaks one rule. The file begins with
//
//   Rule: K2
//   Breaks: the message is not deleted with its step.
//   Tests: test/core/store.test.ts
//   Build: yes          (only when the tests run against dist)
//
// and goes on with the difference as `git diff` writes it. Its name is `<rule>-<short-name>.patch`.

import { readPatch, refuse } from './patch.mjs';
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
  const path = `test/mutations/${file}`;
  const { name, field, list } = readPatch(path, text);
  const rule = field('Rule');
  const breaks = field('Breaks');
  const tests = list('Tests');
  if (fileName.exec(file)?.[1] !== rule || rule === '')
    refuse(path, 'name it <its Rule>-<short-name>.patch');
  if (breaks === '') refuse(path, 'say in "Breaks:" what the patch breaks');
  if (tests.length === 0) refuse(path, 'name in "Tests:" the files that must turn red');
  return { rule, name, breaks, tests, needsBuild: field('Build') === 'yes' };
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
