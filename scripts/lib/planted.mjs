// Planted: one patch of test/planted that plants a fault into the engine. The file begins with
//
//   Plants: a message is removed in a transaction of its own.
//
// and goes on with the difference as `git diff` writes it. Its name is `<number>-<short-name>.patch`.

import { placeOf, readPatch, refuse } from './patch.mjs';

/**
 * @typedef {object} Planted
 * @property {string} name   the file's name without `.patch`
 * @property {string} plants
 */
/**
 * @typedef {object} Search  what the seeds of one fault came to
 * @property {number} seeds  that were run
 * @property {number} steps  of actors in them
 * @property {{ check: string, rule: string, message: string }[]} findings  of the last seed
 * @property {string | undefined} error  why the search ended before its limit without a finding
 */
/** @typedef {'found' | 'missed' | 'broken'} Verdict */
/** @typedef {{ name: string, plants: string, verdict: Verdict, by: string, detail: string, seeds: number, steps: number }} Result */

const fileName = /^\d\d-[a-z0-9-]+\.patch$/;

/**
 * @param {string} file the file's name
 * @param {string} text
 * @returns {Planted}
 * @throws {Error} naming what is wrong with the file
 */
export function readPlanted(file, text) {
  const path = `test/planted/${file}`;
  const { name, field } = readPatch(path, text);
  const plants = field('Plants');
  if (!fileName.test(file)) refuse(path, 'name it <two digits>-<short-name>.patch');
  if (plants === '') refuse(path, 'say in "Plants:" what is wrong then');
  return { name, plants };
}

/**
 * @template {{ name: string }} T
 * @param {T[]} all
 * @param {string[]} wanted  numbers, `3` as well as `03`, or how names begin; none: all
 * @returns {T[]} in their own order
 * @throws {Error} for one that is wanted and not there
 */
export function selectPlanted(all, wanted) {
  const starts = wanted.map((each) => (/^\d+$/.test(each) ? `${each.padStart(2, '0')}-` : each));
  const unknown = wanted.filter(
    (_, at) => !all.some(({ name }) => name.startsWith(starts[at] ?? '')),
  );
  if (unknown.length > 0) {
    const names = all.map(({ name }) => name).join(', ');
    throw new Error(`there is no planted fault ${unknown.join(', ')}; there are ${names}`);
  }
  return all.filter(
    ({ name }) => starts.length === 0 || starts.some((each) => name.startsWith(each)),
  );
}

/**
 * What the lines say that a search has printed. A search that broke off has found nothing: an error may have any reason.
 * @param {string} output  one JSON line for each seed
 * @param {string | undefined} error
 * @returns {Search}
 */
export function readSearch(output, error) {
  const runs = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  const findings = runs.at(-1)?.findings ?? [];
  return { seeds: runs.length, steps, findings, error: findings.length === 0 ? error : undefined };
}

/**
 * @param {Planted} planted
 * @param {Search} search
 * @param {Search} [clean]  the same last seed without the fault
 * @returns {Result}
 */
export function judgeSearch({ name, plants }, { seeds, steps, findings, error }, clean) {
  const facts = { name, plants, seeds, steps };
  const [first] = findings;
  const why = error ?? uncleanness(clean);
  if (why !== undefined) return { ...facts, verdict: 'broken', by: '', detail: why };
  if (first === undefined) return { ...facts, verdict: 'missed', by: '', detail: '' };
  const by = new Set(findings.map(({ check, rule }) => `${check} (${rule})`));
  return { ...facts, verdict: 'found', by: [...by].join(', '), detail: first.message };
}

/**
 * A finding that is there without the fault says nothing about it.
 * @param {Search | undefined} clean
 * @returns {string | undefined}
 */
function uncleanness(clean) {
  if (clean === undefined) return undefined;
  const [first] = clean.findings;
  const why = first === undefined ? clean.error : `${first.check}: ${first.message}`;
  return why === undefined ? undefined : `its seed is not clean without the fault: ${why}`;
}

/**
 * @param {Result} result
 * @param {number} done
 * @param {number} total
 */
export function lineOf({ name, verdict, by, detail, seeds, steps }, done, total) {
  const said = verdict === 'found' ? `found by ${by}` : verdict.toUpperCase();
  const effort = `after ${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${steps} steps`;
  const why = verdict === 'broken' ? `: ${detail}` : '';
  return `${placeOf(done, total)} ${name.replace(/^\d+-/, '').replaceAll('-', ' ')}  ${said} ${effort}${why}`;
}
