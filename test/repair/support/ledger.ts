// Ledger: a machine that notes what it has taken, and fails where the test says so until the test mends it.

import { onTestFinished } from 'vitest';
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { defineMachine } from '../../../actors/index.ts';
import { durable, start } from '../../core/harness.ts';
import type { TestTroupe, TestTroupeOptions } from '../../kit/index.ts';

interface Context {
  readonly heard: readonly string[];
}

/** What fails now: the noting of these, or `birth`. */
const faults = new Set<string>();

const heard = (context: Context, what: string): Context => {
  if (faults.has(what)) throw new Error(`cannot note ${what}`);
  return { heard: [...context.heard, what] };
};

const leaf = setup({}).createMachine({ id: 'leaf', initial: 'on', states: { on: {} } });

const part = setup({ types: { context: {} as Context }, actors: { leaf } }).createMachine({
  id: 'part',
  context: { heard: [] },
  initial: 'on',
  states: {
    on: {
      invoke: { id: 'leaf', src: 'leaf' },
      on: { A: { actions: assign(({ context }) => heard(context, 'part')) }, END: 'off' },
    },
    off: { type: 'final' },
  },
});

const ledgerMachine = setup({
  types: { context: {} as Context },
  actors: { job: fromPromise(async () => 'done'), part },
  actions: { note: assign(({ context }, what: string) => heard(context, what)) },
}).createMachine({
  id: 'ledger',
  context: () => {
    if (faults.has('birth')) throw new Error('cannot be born');
    return { heard: [] };
  },
  initial: 'open',
  on: {
    A: { actions: { type: 'note', params: 'A' } },
    B: { actions: { type: 'note', params: 'B' } },
    C: { actions: { type: 'note', params: 'C' } },
    LEAVE: '.open',
  },
  states: {
    open: {
      on: {
        CALL: 'calling',
        TIME: 'timing',
        CHILD: 'parting',
        TELL: { actions: sendTo(({ system }) => system.get('ledger/1'), { type: 'B' }) },
        LATER: {
          actions: sendTo(({ system }) => system.get('ledger/1'), { type: 'C' }, { delay: 5_000 }),
        },
      },
    },
    calling: {
      invoke: {
        id: 'job',
        src: 'job',
        onDone: { target: 'open', actions: { type: 'note', params: 'done' } },
      },
    },
    timing: { after: { 1_000: { target: 'open', actions: { type: 'note', params: 'timer' } } } },
    parting: {
      invoke: {
        id: 'part',
        src: 'part',
        onDone: { target: 'open', actions: { type: 'note', params: 'ended' } },
        onError: {
          target: 'open',
          actions: {
            type: 'note',
            params: ({ event }) => (event.error as { readonly message: string }).message,
          },
        },
      },
    },
  },
});

export const ledger = defineMachine({
  machine: ledgerMachine,
  version: 1,
  promises: { job: { class: 'read' } },
});

export const PART = 'part/1.part@2';

/** A host with one ledger in which some things fail, and another one that is well. */
export async function broken(
  fails: readonly string[],
  options: TestTroupeOptions = {},
): Promise<TestTroupe> {
  for (const fault of fails) faults.add(fault);
  onTestFinished(() => faults.clear());
  const test = await start({ machines: [ledger, durable(part), durable(leaf)], ...options });
  for (const id of ['1', 'well']) await test.troupe.spawn(ledger, { id });
  await test.clock.settle();
  return test;
}

/** Nothing fails any more. */
export const mend = (): void => faults.clear();

/** What an operator says; the revision is what they saw. */
export const because = (revision: number) => ({ by: 'ann', reason: 'it is mended', revision });

export async function send(test: TestTroupe, ...types: readonly string[]): Promise<void> {
  for (const type of types) await test.troupe.send('ledger/1', { type });
  await test.clock.settle();
}

/** What the ledger has taken, and how it is. */
export async function found(test: TestTroupe, address = 'ledger/1') {
  const { status, context, revision } = await test.troupe.get(address);
  return { status, revision, heard: (context as Partial<Context> | undefined)?.heard };
}

/** A process without machines on the same store and clock. */
export const beside = (test: TestTroupe) => start({ store: test.file, clock: test.clock });
