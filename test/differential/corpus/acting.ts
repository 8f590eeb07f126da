// Custom actions, `emit`, `log` and `enqueueActions`.

import {
  type AnyEventObject,
  and,
  assign,
  createMachine,
  emit,
  enqueueActions,
  log,
  type MachineContext,
  not,
  raise,
  setup,
} from 'xstate';
import { type CorpusEntry, script } from './entry.ts';

/** What XState passes to the parameters of an action that it does not know by type. */
interface Args {
  readonly context: MachineContext;
  readonly event: AnyEventObject;
}

const custom: CorpusEntry = {
  name: 'custom actions: named, inline, anonymous, with parameters, not implemented',
  machine: createMachine(
    {
      id: 'acts',
      context: { n: 1 },
      entry: ['plain', { type: 'withParams', params: { fixed: [1, 2], text: 'x' } }],
      on: {
        NAMED: {
          actions: [
            'plain',
            {
              type: 'withParams',
              params: ({ context, event }: Args) => ({ n: context['n'], by: event['by'] }),
            },
          ],
        },
        INLINE: {
          actions: [
            function namedFunction() {},
            () => {},
            assign({ n: ({ context }) => Number(context['n']) + 1 }),
            { type: 'notImplemented', params: { nested: { deep: null } } },
            { type: 'withoutParams' },
            'alsoNotImplemented',
          ],
        },
        BUMP: { actions: 'bump' },
        LATE: {
          actions: [
            { type: 'withParams', params: ({ context }: Args) => context['n'] },
            'bump',
            { type: 'withParams', params: ({ context }: Args) => context['n'] },
          ],
        },
      },
    },
    {
      actions: {
        plain: () => {},
        withParams: () => {},
        bump: assign({ n: ({ context }) => context['n'] * 2 }),
      },
    },
  ),
  scripts: [
    script({ type: 'NAMED', by: 'me' }, 'INLINE', 'BUMP', 'LATE'),
    script('LATE', 'NAMED', { type: 'INLINE', unused: true }, 'NOPE'),
  ],
};

const emitting: CorpusEntry = {
  name: 'emit, fixed and computed',
  machine: setup({
    types: {
      context: {} as { n: number },
      emitted: {} as { type: 'changed'; n: number } | { type: 'note'; text: string },
    },
  }).createMachine({
    id: 'radio',
    context: { n: 0 },
    initial: 'on',
    states: {
      on: {
        entry: emit({ type: 'note', text: 'on' }),
        exit: emit({ type: 'note', text: 'off' }),
        on: {
          UP: {
            actions: [
              assign({ n: ({ context }) => context.n + 1 }),
              emit(({ context }) => ({ type: 'changed', n: context.n })),
            ],
          },
          ECHO: { actions: emit(({ event }) => ({ type: 'note', text: String(event['text']) })) },
          OFF: 'off',
        },
      },
      off: { on: { ON: 'on' } },
    },
  }),
  scripts: [script('UP', 'UP', { type: 'ECHO', text: 'hello' }, 'OFF', 'UP', 'ON')],
};

const logging: CorpusEntry = {
  name: 'log with text, label, function and default',
  machine: createMachine({
    id: 'diary',
    context: { n: 2 },
    entry: log('born'),
    on: {
      TEXT: { actions: [log('plain'), log('labelled', 'label')] },
      COMPUTED: {
        actions: log(({ context, event }) => `${context['n']} ${event.type}`, 'computed'),
      },
      ALL: { actions: log() },
    },
  }),
  scripts: [script('TEXT', 'COMPUTED', 'ALL')],
};

const lineOf = (params: unknown): string => (params as { readonly line: string }).line;

const enqueueing: CorpusEntry = {
  name: 'enqueueActions with check, nested actions and parameters',
  machine: createMachine(
    {
      id: 'batch',
      types: {} as { context: { count: number; log: string[] } },
      context: { count: 0, log: [] },
      initial: 'idle',
      states: {
        idle: {
          on: {
            ADD: {
              actions: enqueueActions(({ context, event, enqueue, check }) => {
                enqueue.assign({ count: Number(context['count']) + 1 });
                enqueue.assign({
                  count: ({ context: current }: Args) => Number(current['count']) + 1,
                });
                if (check('big')) enqueue('note');
                if (check({ type: 'more', params: { than: 5 } })) enqueue.raise({ type: 'FULL' });
                if (check(and(['big', not(() => event.type === 'OTHER')]))) {
                  enqueue({ type: 'twice', params: { line: `at ${context['count']}` } });
                }
                enqueue.emit(() => ({ type: 'added', before: context['count'] }));
                enqueue(() => {});
              }),
            },
            WAIT: {
              actions: enqueueActions(({ enqueue }) => {
                enqueue.raise({ type: 'ADD' }, { id: 'later', delay: 70 });
                enqueue.cancel('later');
                enqueue.sendTo(({ self }) => self, { type: 'ADD' }, { delay: 5 });
              }),
            },
            NONE: { actions: enqueueActions(() => {}) },
            FULL: 'full',
          },
        },
        full: { entry: { type: 'twice', params: { line: 'full' } }, on: { ADD: 'idle' } },
      },
    },
    {
      guards: {
        big: ({ context }) => context.count > 2,
        more: ({ context }, params) => context.count > Number(params?.['than']),
      },
      actions: {
        write: assign({ log: ({ context }, params) => [...context.log, lineOf(params)] }),
        twice: enqueueActions(({ enqueue }, params) => {
          enqueue({ type: 'write', params: { line: `${lineOf(params)} once` } });
          enqueue({ type: 'write', params: { line: `${lineOf(params)} twice` } });
        }),
      },
    },
  ),
  scripts: [
    script('ADD', 'ADD', 'NONE', 'ADD', 'WAIT', 'ADD', 'ADD'),
    script('WAIT', 'NONE', 'ADD', 'ADD', 'ADD', 'ADD', 'ADD'),
  ],
};

const throwing: CorpusEntry = {
  name: 'actions that throw while they are resolved',
  machine: createMachine({
    id: 'brittle',
    context: { n: 0 },
    initial: 'idle',
    states: {
      idle: {
        on: {
          COUNT: { actions: assign({ n: ({ context }) => Number(context['n']) + 1 }) },
          ASSIGN: {
            target: 'never',
            actions: [
              assign({ n: 99 }),
              'before',
              assign(() => {
                throw new TypeError('assign gave up');
              }),
            ],
          },
          PARAMS: {
            actions: {
              type: 'report',
              params: () => {
                throw new Error('no parameters today');
              },
            },
          },
          ENQUEUE: {
            actions: enqueueActions(({ enqueue }) => {
              enqueue('counted');
              throw new Error('the queue gave up');
            }),
          },
          RAISED: { actions: raise({ type: 'ASSIGN' }) },
        },
      },
      never: {},
    },
  }),
  scripts: [
    script('COUNT', 'ASSIGN', 'COUNT', 'PARAMS', 'COUNT'),
    script('RAISED', 'COUNT', 'ENQUEUE', 'COUNT', 'ASSIGN'),
  ],
};

const stillborn: CorpusEntry = {
  name: 'a machine whose first step throws',
  machine: createMachine({
    id: 'stillborn',
    initial: 'a',
    states: {
      a: {
        entry: assign(() => {
          throw new Error('no start');
        }),
      },
    },
  }),
  scripts: [script('ANY')],
};

export const acting: readonly CorpusEntry[] = [
  custom,
  emitting,
  logging,
  enqueueing,
  throwing,
  stillborn,
];
