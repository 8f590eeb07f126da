// Final states: output, onDone, and what the end of a machine does.

import { type AnyEventObject, assign, createMachine, fromPromise, raise, setup } from 'xstate';
import { type CorpusEntry, done, due, script, silent, silentWith } from './entry.ts';

const output: CorpusEntry = {
  name: 'machine output computed from the final state and the context',
  machine: setup({
    types: { context: {} as { items: string[] }, output: {} as { items: string[]; how: unknown } },
    actions: {
      cartLeft: silent,
      cartSize: silentWith,
      openLeft: silent,
      paidEntered: silent,
      paidLeft: silent,
    },
  }).createMachine({
    id: 'cart',
    context: { items: [] },
    initial: 'open',
    exit: [
      'cartLeft',
      { type: 'cartSize', params: ({ context }) => ({ size: context.items.length }) },
    ],
    states: {
      open: {
        exit: 'openLeft',
        on: {
          ADD: {
            actions: assign({
              items: ({ context, event }) => [...context.items, String(event['item'])],
            }),
          },
          PAY: 'paid',
          DROP: 'dropped',
        },
      },
      paid: {
        type: 'final',
        entry: 'paidEntered',
        exit: 'paidLeft',
        output: ({ context, event }) => ({ by: event['card'], count: context.items.length }),
      },
      dropped: { type: 'final', output: 'dropped' },
    },
    output: ({ context, event }) => ({ items: context.items, how: event.output }),
  }),
  scripts: [
    script({ type: 'ADD', item: 'a' }, { type: 'ADD', item: 'b' }, { type: 'PAY', card: 'visa' }),
    script('DROP', 'PAY'),
    script({ type: 'PAY', card: 'visa' }, { type: 'ADD', item: 'late' }),
  ],
};

const fixedOutput: CorpusEntry = {
  name: 'fixed machine output, finished at birth',
  machine: createMachine({
    id: 'brief',
    initial: 'over',
    entry: 'entered',
    exit: 'left',
    states: { over: { type: 'final' } },
    output: { fixed: [1, { two: 2 }] },
  }),
  scripts: [script('ANY')],
};

const nested: CorpusEntry = {
  name: 'onDone with the output of nested final states',
  machine: createMachine({
    id: 'form',
    context: { answers: [] as unknown[] },
    initial: 'name',
    states: {
      name: {
        initial: 'asking',
        states: {
          asking: { on: { ANSWER: 'given', SKIP: 'skipped' } },
          given: { type: 'final', output: ({ event }) => ({ answer: event['text'] }) },
          skipped: { type: 'final' },
        },
        onDone: [
          {
            guard: ({ event }) => event.output !== undefined,
            target: 'age',
            actions: assign({
              answers: ({ context, event }) => [...context['answers'], event['output']],
            }),
          },
          { target: 'age', actions: 'skippedName' },
        ],
      },
      age: {
        initial: 'wrap',
        states: {
          wrap: {
            initial: 'asking',
            states: {
              asking: { on: { ANSWER: 'done' } },
              done: { type: 'final', output: ({ event }) => event['text'] },
            },
            onDone: {
              target: 'both',
              actions: {
                type: 'aged',
                params: ({ event }: { event: AnyEventObject }) => ({ output: event['output'] }),
              },
            },
          },
          both: { type: 'final', output: 'all' },
        },
        onDone: {
          target: 'finished',
          actions: {
            type: 'allDone',
            params: ({ event }: { event: AnyEventObject }) => ({ output: event['output'] }),
          },
        },
      },
      finished: { type: 'final' },
    },
    output: ({ context }) => context.answers,
  }),
  scripts: [
    script({ type: 'ANSWER', text: 'Ada' }, { type: 'ANSWER', text: '36' }),
    script('SKIP', { type: 'ANSWER', text: 7 }, 'SKIP'),
    script('NO', 'SKIP', 'NO'),
  ],
};

const parallelDone: CorpusEntry = {
  name: 'a parallel state is done when every region is',
  machine: createMachine({
    id: 'ship',
    initial: 'preparing',
    states: {
      preparing: {
        type: 'parallel',
        exit: 'leavePreparing',
        states: {
          pack: {
            initial: 'a',
            states: {
              a: { on: { PACK: 'b', ALL: 'b' } },
              b: { type: 'final', entry: 'packed', output: 'packed' },
            },
            onDone: { actions: 'packDone' },
          },
          bill: {
            type: 'parallel',
            states: {
              print: {
                initial: 'a',
                states: {
                  a: { on: { BILL: 'b', ALL: 'b' } },
                  b: { type: 'final', entry: 'printed' },
                },
              },
              send: {
                initial: 'a',
                states: { a: { on: { SEND: 'b', ALL: 'b' } }, b: { type: 'final', on: {} } },
              },
            },
            onDone: { actions: 'billDone' },
          },
        },
        onDone: { target: 'shipped', actions: 'ready' },
      },
      shipped: { type: 'final', output: 'shipped' },
    },
    output: ({ event }) => ({ last: event.output }),
  }),
  scripts: [
    script('PACK', 'BILL', 'SEND'),
    script('SEND', 'BILL', 'PACK'),
    script('ALL'),
    script('PACK', 'PACK', 'ALL', 'ALL'),
  ],
};

const parallelRoot: CorpusEntry = {
  name: 'a parallel root that ends, with timers, children and a raise at the end',
  machine: setup({
    actors: { job: fromPromise(async () => 1) },
    actions: {
      duoLeft: silent,
      oneLeft: silent,
      twoLeft: silent,
      finalLeft: silent,
      afterwards: silent,
      ticked: silent,
    },
  }).createMachine({
    id: 'duo',
    type: 'parallel',
    entry: raise({ type: 'TICK' }, { id: 'tick', delay: 1_000 }),
    exit: 'duoLeft',
    states: {
      one: {
        initial: 'a',
        exit: 'oneLeft',
        states: {
          a: { invoke: { id: 'job', src: 'job', onDone: 'b' }, on: { ONE: 'b' } },
          b: { type: 'final', entry: raise({ type: 'AFTERWARDS' }) },
        },
      },
      two: {
        initial: 'a',
        exit: 'twoLeft',
        invoke: { id: 'other', src: 'job' },
        states: { a: { after: { 100: 'b' } }, b: { type: 'final', exit: 'finalLeft' } },
      },
    },
    on: { AFTERWARDS: { actions: 'afterwards' }, TICK: { actions: 'ticked' } },
    output: { ended: true },
  }),
  scripts: [
    script(done('job', 1), 'TICK', due(100, 'duo.two.a')),
    script(due(100, 'duo.two.a'), 'ONE', 'ONE'),
    script(due(100, 'duo.two.a'), done('other', 1), done('job', 1)),
  ],
};

const finalRegion: CorpusEntry = {
  name: 'a region that is itself final, and done events that a wildcard sees',
  machine: createMachine({
    id: 'odd',
    initial: 'idle',
    states: {
      idle: { on: { GO: 'mixed' } },
      mixed: {
        type: 'parallel',
        states: {
          always: { type: 'final', output: 1 },
          other: {
            initial: 'x',
            states: { x: { on: { END: 'y' } }, y: { type: 'final', output: { y: true } } },
          },
        },
        onDone: 'idle',
      },
    },
    on: {
      'xstate.done.state.*': {
        actions: {
          type: 'someDone',
          params: ({ event }: { event: AnyEventObject }) => ({
            type: event.type,
            output: event['output'] ?? null,
          }),
        },
      },
    },
  }),
  scripts: [script('GO', 'END', 'GO', 'GO', 'END')],
};

export const finishing: readonly CorpusEntry[] = [
  output,
  fixedOutput,
  nested,
  parallelDone,
  parallelRoot,
  finalRegion,
];
