import { expect, it } from 'vitest';
import { checkRules } from '../../scripts/lib/rule-check.mjs';

const spec = '# Rules\n- K1 [built] One.\n- K2 [built] Two.\n- K9a [planned] Nine.\n';

/** Judges one test file against the three rules above. */
function check(text: string) {
  return checkRules({ spec, files: new Map([['test/a.test.ts', text]]) });
}

/** How many tests name each rule. */
function countsIn(text: string): Record<string, number> {
  return Object.fromEntries(check(text).rules.map(({ id, tests }) => [id, tests.length]));
}

it('[rules] lists each rule with its state and the tests that name it', () => {
  const { rules, problems } = check("it('[K1] a', f);\nit('[K1, K2] b', f);");
  expect(problems).toEqual([]);
  expect(rules).toEqual([
    { id: 'K1', state: 'built', tests: ['test/a.test.ts > [K1] a', 'test/a.test.ts > [K1, K2] b'] },
    { id: 'K2', state: 'built', tests: ['test/a.test.ts > [K1, K2] b'] },
    { id: 'K9a', state: 'planned', tests: [] },
  ]);
});

it.each([
  ['test', "test('[K1] a', f);"],
  ['a template', 'it(`[K1] a`, f);'],
  ['a template that goes on', 'it(`[K1] ${name}`, f);'],
  ['a sum', "it('[K1] ' + name, f);"],
  ['each', "it.each([1, 2])('[K1] %s', f);"],
  ['each with a table', 'it.each`a | b`("[K1] $a", f);'],
  ['a modifier', "it.concurrent('[K1] a', f);"],
  ['a condition', "it.skipIf(isSlow)('[K1] a', f);"],
  ['a passed-in function', "kit.it('[K1] a', f);"],
  ['a group', "describe('[K1] a', () => { it('b', f); });"],
  ['a group of passed-in tests', "describe('[K1] a', () => { contract(make); });"],
  ['a test in a loop', 'for (const name of names) { it(`[K1] ${name}`, f); }'],
])('[rules] counts %s', (_name, text) => {
  expect(countsIn(text)).toEqual({ K1: 1, K2: 0, K9a: 0 });
});

it.each([
  ['a skipped test', "it.skip('[K1] a', f);"],
  ['a planned test', "it.todo('[K1] a');"],
  ['a skipped group', "describe.skip('[K1] a', () => { it('b', f); });"],
  ['a rule later in the title', "it('says [K1]', f);"],
  ['a title in a string', 'const text = "it(\'[K1] a\', f);";'],
  ['a title in a comment', "// it('[K1] a', f);"],
])('[rules] does not count %s', (_name, text) => {
  expect(countsIn(text)).toEqual({ K1: 0, K2: 0, K9a: 0 });
});

it('[rules] gives each test of a group the rules of the group', () => {
  const text =
    "describe('[K1] a', () => { it('b', f); describe('c', () => { it('[K2] d', f); }); });";
  expect(countsIn(text)).toEqual({ K1: 2, K2: 1, K9a: 0 });
});

it('[rules] names built rules without test, unknown rules and computed ids', () => {
  const text =
    "it('[K1] a', f);\nit('[K7] b', f);\nit(`[${rule}] c`, f);\nit.each(all)('[%s] d', f);";
  expect(check(text).problems).toEqual([
    'test/a.test.ts:2  SPEC.md has no rule K7: [K7] b',
    "test/a.test.ts:3  write the rule's id out, not computed: […",
    "test/a.test.ts:4  write the rule's id out, not computed: [%s] d…",
    'K2 is built, and no test names it',
  ]);
});

it('[rules] leaves other tags alone', () => {
  expect(check("it('[K1, K2] a', f);\nit('[rooms] b', f);\nit('c', f);").problems).toEqual([]);
});

it('[rules] refuses a rule without state or with a number that is taken', () => {
  const files = new Map<string, string>();
  const { problems } = checkRules({
    spec: '- K1 One.\n- K2 [done] Two.\n- K3 [planned] A.\n- K3 [planned] B.',
    files,
  });
  expect(problems).toEqual([
    'SPEC.md:1  K1 must be [built] or [planned]',
    'SPEC.md:2  K2 must be [built] or [planned]',
    'SPEC.md:4  K3 is there twice, first in line 3',
  ]);
});
