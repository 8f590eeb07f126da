import { expect, it } from 'vitest';
import { judge, namePattern, readMutation, unguardedRules } from '../../scripts/lib/mutation.mjs';

const difference = '--- a/actors/a.ts\n+++ b/actors/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
const header = 'Rule: K2\nBreaks: the message stays.\nTests: test/a.test.ts, test/b.test.ts\n';
const mutation = readMutation('K2-message-stays.patch', `${header}\n${difference}`);

const green = {
  passed: 1,
  failed: 0,
  skipped: 0,
  failures: [],
  brokenFiles: [],
  output: '',
  isLate: false,
};

/** A run in which the test with these titles failed. */
function failing(...titles: string[]) {
  return { ...green, failed: 1, failures: [{ file: 'test/a.test.ts', titles }] };
}

it('[mutations] reads the header', () => {
  expect(mutation).toEqual({
    rule: 'K2',
    name: 'K2-message-stays',
    breaks: 'the message stays.',
    tests: ['test/a.test.ts', 'test/b.test.ts'],
    needsBuild: false,
  });
  const built = readMutation('K2-a.patch', `${header}Build: yes\n${difference}`);
  expect(built.needsBuild).toBe(true);
});

it.each([
  ['another rule in the name', 'K3-a.patch', header + difference, 'name it'],
  ['no sentence', 'K2-a.patch', header.replace(/Breaks.*/, '') + difference, '"Breaks:"'],
  ['no tests', 'K2-a.patch', header.replace(/Tests.*/, '') + difference, '"Tests:"'],
  ['no difference', 'K2-a.patch', header, 'no difference'],
  [
    'a changed test',
    'K2-a.patch',
    header + difference.replaceAll('actors/', 'test/'),
    'changes a test',
  ],
])('[mutations] refuses %s', (_name, file, text, problem) => {
  expect(() => readMutation(file, text)).toThrow(problem);
});

it('[mutations] selects the tests whose tag has the rule', () => {
  const pattern = new RegExp(namePattern(['K2']));
  expect(pattern.test('group [K1, K2] a')).toBe(true);
  expect(pattern.test('[K2] a')).toBe(true);
  expect(pattern.test('[K20] a')).toBe(false);
  expect(pattern.test('says K2')).toBe(false);
});

it('[mutations] calls a rule guarded only when a test of that rule turns red', () => {
  expect(judge(mutation, failing('[K2] a'))).toEqual({ verdict: 'killed', detail: '[K2] a' });
  expect(judge(mutation, failing('[K2] group', 'a')).verdict).toBe('killed');
  expect(judge(mutation, green)).toEqual({ verdict: 'survived', detail: '' });
  expect(judge(mutation, failing('[K3] a')).detail).toBe('failed, but in no test of K2');
  expect(judge(mutation, { ...green, failed: 1, brokenFiles: ['test/a.test.ts'] }).verdict).toBe(
    'broken',
  );
  expect(judge(mutation, { ...green, passed: 0 }).detail).toBe('its test files have no test of K2');
  expect(judge(mutation, { ...green, isLate: true }).detail).toBe('the tests did not end');
});

it('[mutations] names built rules of the core that no mutation breaks', () => {
  const rules = [
    { id: 'K1', state: 'built' },
    { id: 'K2', state: 'built' },
    { id: 'M1', state: 'planned' },
    { id: 'V1', state: 'built' },
  ];
  expect(unguardedRules(rules, [mutation])).toEqual(['K1']);
});
