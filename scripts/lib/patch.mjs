// Patch: a file that breaks the code on purpose. Fields stand above the difference, as `Name: text`, one a line.

/**
 * @typedef {object} Patch
 * @property {string} name  the file's name without `.patch`
 * @property {(name: string) => string} field  the text of a field; empty when it is absent
 * @property {(name: string) => string[]} list  the words of a field
 */

/**
 * @param {string} file the file's path from the root, to name it in what is thrown
 * @param {string} text
 * @returns {Patch}
 * @throws {Error} naming what is wrong with the file
 */
export function readPatch(file, text) {
  const [head = '', ...differences] = text.split(/^(?=diff --git |--- )/m);
  if (differences.length === 0) refuse(file, 'no difference follows the header');
  if (/^(\+\+\+|---) [ab]\/test\//m.test(text))
    refuse(file, 'it changes a test; break the code instead');
  /** @param {string} name */
  const field = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  return {
    name: file.replace(/^.*\//, '').replace(/\.patch$/, ''),
    field,
    list: (name) =>
      field(name)
        .split(/[\s,]+/)
        .filter(Boolean),
  };
}

/**
 * @param {string} file
 * @param {string} problem
 * @returns {never}
 */
export function refuse(file, problem) {
  throw new Error(`${file}: ${problem}`);
}

/**
 * How far a list has come: `[ 3/10]`.
 * @param {number} done
 * @param {number} total
 */
export function placeOf(done, total) {
  return `[${String(done).padStart(String(total).length)}/${total}]`;
}
