// Rule check: compares the rules of SPEC.md with the titles of the tests.

import { readTitles } from './titles.mjs';

/** @typedef {'built' | 'planned'} State */
/** @typedef {{ id: string, state: State, line: number }} SpecRule */
/** @typedef {{ id: string, state: State, tests: string[] }} Rule */

const rulePattern = /^- ([A-Z]+\d+[a-z]?) (?:\[([^\]]*)\] )?/;

/**
 * @param {string} spec the text of SPEC.md
 * @returns {{ rules: SpecRule[], problems: string[] }}
 */
export function readSpec(spec) {
  /** @type {SpecRule[]} */
  const rules = [];
  /** @type {string[]} */
  const problems = [];
  for (const [index, text] of spec.split('\n').entries()) {
    const [, id, state] = rulePattern.exec(text) ?? [];
    if (id === undefined) continue;
    const line = index + 1;
    const earlier = rules.find((rule) => rule.id === id);
    if (state !== 'built' && state !== 'planned') {
      problems.push(`SPEC.md:${line}  ${id} must be [built] or [planned]`);
    } else if (earlier !== undefined) {
      problems.push(`SPEC.md:${line}  ${id} is there twice, first in line ${earlier.line}`);
    } else {
      rules.push({ id, state, line });
    }
  }
  return { rules, problems };
}

/**
 * @param {{ spec: string, files: Map<string, string> }} sources test files by their path
 * @returns {{ rules: Rule[], problems: string[] }}
 */
export function checkRules({ spec, files }) {
  const { rules, problems } = readSpec(spec);
  const titles = [...files].flatMap(([file, text]) => readTitles(file, text));
  const judged = rules.map(({ id, state }) => ({
    id,
    state,
    tests: titles.filter((each) => each.rules.includes(id)).map(nameOf),
  }));
  const known = new Set(rules.map((rule) => rule.id));
  return {
    rules: judged,
    problems: [
      ...problems,
      ...titles.flatMap((title) => problemsOfTitle(title, known)),
      ...judged.filter(isUntested).map((rule) => `${rule.id} is built, and no test names it`),
    ],
  };
}

/**
 * @param {import('./titles.mjs').Title} title
 * @param {Set<string>} known
 */
function problemsOfTitle({ rules, title, file, line, legible }, known) {
  if (!legible) return [`${file}:${line}  write the rule's id out, not computed: ${title}…`];
  return rules
    .filter((rule) => !known.has(rule))
    .map((rule) => `${file}:${line}  SPEC.md has no rule ${rule}: ${title}`);
}

/** @param {import('./titles.mjs').Title} title */
function nameOf({ file, title }) {
  return `${file} > ${title}`;
}

/** @param {Rule} rule */
function isUntested({ state, tests }) {
  return state === 'built' && tests.length === 0;
}
