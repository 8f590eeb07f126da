import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/files.mjs';
import {
  judgeSearch,
  lineOf,
  readPlanted,
  readSearch,
  selectPlanted,
} from '../../scripts/lib/planted.mjs';

const difference = '--- a/actors/a.ts\n+++ b/actors/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
const planted = readPlanted('01-a-fault.patch', `Plants: a is b.\n\n${difference}`);

const finding = { check: 'order', rule: 'T1', message: 'message 3 came too early' };
const clean = JSON.stringify({ seed: 1, steps: 400, findings: [] });
const findings = [
  finding,
  finding,
  { check: 'messages', rule: 'M4', message: 'message 3 is lost' },
];
const dirty = JSON.stringify({ seed: 2, steps: 412, findings });

it('[planted] reads the header', () => {
  expect(planted).toEqual({ name: '01-a-fault', plants: 'a is b.' });
});

it.each([
  ['no number in the name', 'a.patch', `Plants: a.\n${difference}`, 'two digits'],
  ['no sentence', '01-a.patch', `Rule: K1\n${difference}`, '"Plants:"'],
  ['no difference', '01-a.patch', 'Plants: a.\n', 'no difference'],
  [
    'a changed test',
    '01-a.patch',
    `Plants: a.\n${difference.replaceAll('actors/', 'test/')}`,
    'changes a test',
  ],
])('[planted] refuses %s', (_name, file, text, problem) => {
  expect(() => readPlanted(file, text)).toThrow(problem);
});

it('[planted] says by which check, after how many seeds and steps', () => {
  const result = judgeSearch(planted, readSearch(`${clean}\n${dirty}\n`, undefined));
  expect(result).toMatchObject({
    verdict: 'found',
    by: 'order (T1), messages (M4)',
    seeds: 2,
    steps: 812,
  });
  expect(lineOf(result, 3, 10)).toBe(
    '[ 3/10] a fault  found by order (T1), messages (M4) after 2 seeds, 812 steps',
  );
});

it('[planted] calls a fault missed when no seed shows it', () => {
  const missed = judgeSearch(planted, readSearch(`${clean}\n`, undefined));
  expect(missed.verdict).toBe('missed');
  expect(lineOf(missed, 1, 1)).toBe('[1/1] a fault  MISSED after 1 seed, 400 steps');
});

it('[planted] does not take a run that broke off for a finding', () => {
  const broken = judgeSearch(planted, readSearch(`${clean}\n`, 'TypeError: x'));
  expect(broken).toMatchObject({ verdict: 'broken', detail: 'TypeError: x' });
  expect(lineOf(broken, 1, 1)).toContain('BROKEN after 1 seed, 400 steps: TypeError: x');
});

it('[planted] believes a finding only when its seed finds nothing without the fault', () => {
  const found = readSearch(`${clean}\n${dirty}\n`, undefined);
  const line = JSON.stringify({ seed: 2, steps: 400, findings: [] });
  expect(judgeSearch(planted, found, readSearch(`${line}\n`, undefined)).verdict).toBe('found');
  expect(judgeSearch(planted, found, readSearch(`${dirty}\n`, undefined))).toMatchObject({
    verdict: 'broken',
    detail: 'its seed is not clean without the fault: order: message 3 came too early',
  });
  expect(judgeSearch(planted, found, readSearch('', 'killed')).verdict).toBe('broken');
});

it('[planted] takes a number without its zero, and lists what there is for one that is not there', () => {
  const all = ['01-a', '03-b', '10-c'].map((name) => ({ name }));
  const names = (...wanted: string[]) => selectPlanted(all, wanted).map(({ name }) => name);
  expect(names()).toEqual(['01-a', '03-b', '10-c']);
  expect(names('3')).toEqual(['03-b']);
  expect(names('10', '01')).toEqual(['01-a', '10-c']);
  expect(names('1')).toEqual(['01-a']);
  expect(() => names('3', '4')).toThrow('no planted fault 4; there are 01-a, 03-b, 10-c');
});

describe('the commands', () => {
  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(root, `scripts/${script}.mjs`), ...args], {
      encoding: 'utf8',
    });

  it.each(['planted', 'mutations', 'soak'])(
    '[planted] %s explains itself and its options',
    (script) => {
      const help = run(script, '--help');
      expect(help).toMatchObject({ status: 0, stderr: '' });
      expect(help.stdout).toContain(`npm run ${script} -- [`);
      const odd = run(script, '--odd');
      expect(odd.status).not.toBe(0);
      expect(odd.stderr).toContain("Unknown option '--odd'");
      expect(odd.stderr).toContain(help.stdout.trim());
      expect(odd.stderr).not.toContain('    at ');
    },
  );
});

describe('the patches', () => {
  const folder = join(root, 'test/planted');
  const files = readdirSync(folder).filter((file) => file.endsWith('.patch'));

  it('[planted] are ten', () => {
    expect(files).toHaveLength(10);
  });

  it.each(files)('[planted] %s reads well and applies to the code as it is', (file) => {
    const path = join(folder, file);
    expect(readPlanted(file, readFileSync(path, 'utf8')).plants).not.toBe('');
    const { status, stderr } = spawnSync('git', ['apply', '--check', path], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
