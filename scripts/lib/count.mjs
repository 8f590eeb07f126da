// Count: what a test run found, and the line that ends it.

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {{ file: string, titles: string[] }[]} failures  titles from the outermost group inwards
 * @property {string[]} brokenFiles  files that did not load, or with a failing hook
 */

/** @param {{ passed: number, failed: number, skipped: number }} count */
export function countLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
