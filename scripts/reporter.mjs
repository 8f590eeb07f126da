// Reporter: one line for each test file, every failure in full, and the count as the last line.
//
// With TROUPE_TEST_REPORT set it writes its findings to that file, and leaves the last line to
// whoever started it.

import { writeFileSync } from 'node:fs';
import { countLine } from './lib/count.mjs';

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {import('vitest/node').TestSuite} TestSuite */
/** @typedef {import('vitest/node').Reporter} Reporter */
/** @typedef {import('./lib/count.mjs').Report} Report */

/** A test that takes longer than this gets a line of its own. */
const SLOW_TEST_MS = 5_000;

/** @implements {Reporter} */
export default class TroupeReporter {
  /** @type {import('vitest/node').Vitest | undefined} */
  #vitest;
  /** @type {Map<string, string[]>} what a file's tests printed; shown when one of them fails */
  #output = new Map();
  /** @type {Set<TestModule>} files with a line */
  #printed = new Set();

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.#vitest = vitest;
  }

  /** @param {import('vitest').UserConsoleLog} log */
  onUserConsoleLog(log) {
    const file = log.taskId?.split('_')[0] ?? '';
    this.#output.set(file, [...(this.#output.get(file) ?? []), log.content]);
  }

  /** @param {TestCase} test */
  onTestCaseResult(test) {
    const timeMs = test.diagnostic()?.duration ?? 0;
    if (timeMs >= SLOW_TEST_MS) console.log(`  ${seconds(timeMs)}  ${test.fullName}`);
  }

  /** @param {TestModule} file */
  onTestModuleEnd(file) {
    this.#printed.add(file);
    const count = this.#countOf([file]);
    const state = count.failed > 0 ? 'FAILED' : count.skipped > 0 ? 'SKIPS' : 'ok';
    const tests = `${count.passed + count.failed + count.skipped} tests`;
    const timeMs = file.diagnostic().duration + file.diagnostic().collectDuration;
    if (tests === '0 tests') return;
    console.log(`${state.padEnd(6)} ${file.relativeModuleId}  ${tests}  ${seconds(timeMs)}`);
    if (count.failed > 0) this.#printFailures(file);
    for (const test of this.#testsOf(file, 'skipped')) console.log(`  skipped: ${test.fullName}`);
  }

  /**
   * @param {ReadonlyArray<TestModule>} files
   * @param {ReadonlyArray<import('vitest/node').SerializedError>} strayErrors
   */
  onTestRunEnd(files, strayErrors) {
    for (const file of files) if (!this.#printed.has(file)) this.onTestModuleEnd(file);
    for (const error of strayErrors) this.#printError('An error outside every test', error);
    const count = this.#countOf(files);
    /** @type {Report} */
    const report = {
      ...count,
      failed: count.failed + strayErrors.length,
      failures: files.flatMap((file) => this.#failuresOf(file)),
      brokenFiles: files
        .filter((file) => errorsOf(file).length > 0)
        .map((file) => file.relativeModuleId),
    };
    const path = process.env['TROUPE_TEST_REPORT'];
    if (path === undefined) console.log(countLine(report));
    else writeFileSync(path, JSON.stringify(report));
    if (report.failed + report.skipped > 0 || report.passed === 0) process.exitCode = 1;
  }

  /** @param {ReadonlyArray<TestModule>} files */
  #countOf(files) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const file of files) {
      count.passed += this.#testsOf(file, 'passed').length;
      count.skipped += this.#testsOf(file, 'skipped').length;
      // A test that has not ended when its file has is lost with its process.
      count.failed += this.#testsOf(file, 'failed').length + this.#testsOf(file, 'pending').length;
      count.failed += errorsOf(file).length;
    }
    return count;
  }

  /**
   * @param {TestModule} file
   * @param {import('vitest/node').TestState} state
   * @returns {TestCase[]} without those that `-t` leaves out
   */
  #testsOf(file, state) {
    const pattern = this.#vitest?.config.testNamePattern;
    return [...file.children.allTests(state)].filter(
      (test) => pattern === undefined || pattern.test(searchName(test)),
    );
  }

  /** @param {TestModule} file */
  #failuresOf(file) {
    const tests = [...this.#testsOf(file, 'failed'), ...this.#testsOf(file, 'pending')];
    return tests.map((test) => ({ file: file.relativeModuleId, titles: titlesOf(test) }));
  }

  /** @param {TestModule} file */
  #printFailures(file) {
    for (const { name, error } of errorsOf(file)) this.#printError(name, error);
    for (const test of this.#testsOf(file, 'failed')) {
      for (const error of test.result().errors ?? []) this.#printError(test.fullName, error);
    }
    for (const test of this.#testsOf(file, 'pending'))
      console.log(`\n  ${test.fullName}: never ended`);
    const output = this.#output.get(file.id)?.join('').trimEnd();
    if (output) console.log(`\n  What the tests of this file printed:\n${output}\n`);
  }

  /**
   * @param {string} name
   * @param {unknown} error
   */
  #printError(name, error) {
    console.log(`\n  ${name}`);
    this.#vitest?.logger.printError(error, { showCodeFrame: true });
  }
}

/**
 * The errors of a file that belong to no test: it does not load, or a hook of a group failed.
 * @param {TestModule} file
 */
function errorsOf(file) {
  const groups = [...file.children.allSuites()];
  return [file, ...groups].flatMap((owner) =>
    owner.errors().map((error) => ({ name: nameOf(owner), error })),
  );
}

/** @param {TestModule | TestSuite} owner */
function nameOf(owner) {
  return owner.type === 'module' ? owner.relativeModuleId : owner.fullName;
}

/**
 * The titles around a test and its own, outermost first.
 * @param {TestCase} test
 * @returns {string[]}
 */
function titlesOf(test) {
  const titles = [test.name];
  for (let owner = test.parent; owner.type === 'suite'; owner = owner.parent)
    titles.unshift(owner.name);
  return titles;
}

/**
 * The name that vitest compares with `-t`.
 * @param {TestCase} test
 */
function searchName(test) {
  return titlesOf(test).join(' ');
}

/** @param {number} timeMs */
function seconds(timeMs) {
  return `${(timeMs / 1_000).toFixed(1)} s`;
}
