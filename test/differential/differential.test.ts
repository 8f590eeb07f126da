// K9: Troupe's step equals XState's own `transition()`, on hand-written machines and on generated ones.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPromise, initialTransition, sendTo, setup, spawnChild, transition } from 'xstate';
import { buildMachine } from './build.ts';
import { compareRuns, type Run } from './compare.ts';
import { corpus } from './corpus/index.ts';
import { generatedMachine, generatedMoves } from './generate.ts';
import { didThrow } from './record.ts';
import { register, Subject } from './subject.ts';

const CORPUS_MACHINES_MIN = 40;
const GENERATED_MACHINES = 1_000;
/** With the path that fast-check prints beside it, it repeats a failure. */
const SEED = 20_251_130;
const GENERATED_LIMIT_MS = 120_000;

describe('machines written by hand', () => {
  it(`[K9] the corpus has at least ${CORPUS_MACHINES_MIN} machines, each with a name of its own and scripts`, () => {
    expect(corpus.length).toBeGreaterThanOrEqual(CORPUS_MACHINES_MIN);
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(corpus.filter(({ scripts }) => scripts.length === 0)).toEqual([]);
  });

  for (const { name, machine, input, scripts } of corpus) {
    it(`[K9] as XState, live and restored at every step: ${name}`, () => {
      for (const script of scripts) {
        const moves = script.map((event) => ({ kind: 'send' as const, event }));
        expect(compareRuns(machine, input, moves).outcomes.length).toBeGreaterThan(0);
      }
    });
  }
});

describe('machines made at random', () => {
  it(
    `[K9] as XState, live and restored at every step: ${GENERATED_MACHINES} generated machines (seed ${SEED})`,
    () => {
      const coverage = new Coverage();
      const equal = fc.property(generatedMachine, generatedMoves, (plan, moves) => {
        coverage.add(compareRuns(buildMachine(plan), undefined, moves));
      });
      fc.assert(equal, { seed: SEED, numRuns: GENERATED_MACHINES });
      coverage.requireAll();
    },
    GENERATED_LIMIT_MS,
  );
});

/** What the generated runs have shown, so that a generator gone dull does not look like a green run. */
class Coverage {
  private readonly actions = new Set<string>();
  private readonly statuses = new Set<string>();
  private illegal = 0;
  private steps = 0;
  private throws = 0;
  private remembered = 0;
  private withActions = 0;

  add({ outcomes, wasLegal }: Run): void {
    if (!wasLegal) this.illegal++;
    for (const outcome of outcomes) {
      this.steps++;
      if (didThrow(outcome)) {
        this.throws++;
        continue;
      }
      this.statuses.add(outcome.status);
      for (const { type } of outcome.actions) this.actions.add(type);
      if (outcome.actions.length > 0) this.withActions++;
      if (Object.keys(outcome.history).length > 0) this.remembered++;
    }
  }

  requireAll(): void {
    expect([...this.actions]).toEqual(expect.arrayContaining(ACTION_TYPES));
    expect([...this.statuses].sort()).toEqual(['active', 'done', 'error']);
    expect(this.steps).toBeGreaterThan(4 * GENERATED_MACHINES);
    expect(this.illegal / GENERATED_MACHINES).toBeLessThan(0.02);
    expect(this.throws).toBeGreaterThan(0);
    expect(this.throws / this.steps).toBeLessThan(0.1);
    expect(this.withActions / this.steps).toBeGreaterThan(0.3);
    expect(this.remembered / this.steps).toBeGreaterThan(0.05);
  }
}

const ACTION_TYPES = [
  'xstate.raise',
  'xstate.cancel',
  'xstate.sendTo',
  'xstate.spawnChild',
  'xstate.stopChild',
  'xstate.emit',
  'xstate.log',
  'note',
  'notImplemented',
  'inlineAction',
  '(anonymous)',
];

describe('known differences', () => {
  const machine = setup({ actors: { job: fromPromise(async () => 1) } }).createMachine({
    id: 'spawner',
    initial: 'on',
    entry: spawnChild('job', { id: 'job' }),
    states: {
      on: { on: { SEND: { actions: sendTo(() => 'job', { type: 'HELLO' }) }, END: 'off' } },
      off: { type: 'final' },
    },
  });
  const answer = { type: 'xstate.done.actor.job', output: 1, actorId: 'job' };

  it('[K9] known difference: a spawned child that has answered leaves the snapshot; XState keeps it for ever', () => {
    const [born] = initialTransition(machine);
    const [answered] = transition(machine, born, answer as never);
    const [, sent] = transition(machine, answered, { type: 'SEND' });
    const [, ended] = transition(machine, answered, { type: 'END' });
    expect(Object.keys(answered.children)).toEqual(['job']);
    expect(sent.map(({ type }) => type)).toEqual(['xstate.sendTo']);
    expect(ended.map(({ type }) => type)).toEqual(['xstate.stopChild']);

    const subject = new Subject(register(machine), 'live');
    subject.start(undefined, 1);
    expect(subject.send(answer, 2)).toMatchObject({ status: 'active', children: [], actions: [] });
    const gone = "Unable to send event to actor 'job' from machine 'spawner'.";
    expect(subject.send({ type: 'SEND' }, 3)).toEqual({ threw: gone });
    expect(subject.send({ type: 'END' }, 4)).toMatchObject({ status: 'done', actions: [] });
  });
});
