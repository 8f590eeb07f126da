// Tags, meta and descriptions; wildcard events and forbidden transitions.

import { type AnyEventObject, assign, createMachine, setup } from 'xstate';
import { type CorpusEntry, script, silent } from './entry.ts';

const tags: CorpusEntry = {
  name: 'tags of compound and parallel states, some of them shared',
  machine: createMachine({
    id: 'tagged',
    tags: 'root',
    type: 'parallel',
    states: {
      a: {
        tags: ['region', 'a'],
        initial: 'one',
        states: {
          one: { tags: 'z', on: { GO: 'two' } },
          two: { tags: ['busy', 'a'], on: { GO: 'one' } },
        },
      },
      b: {
        tags: ['region'],
        initial: 'one',
        states: { one: { tags: ['busy', '0'] }, two: {} },
        on: { MOVE: '.two' },
      },
    },
  }),
  scripts: [script('GO', 'MOVE', 'GO', 'MOVE')],
};

const meta: CorpusEntry = {
  name: 'meta and descriptions on states and transitions',
  machine: createMachine({
    id: 'told',
    description: 'A machine that explains itself',
    meta: { owner: 'docs' },
    initial: 'draft',
    states: {
      draft: {
        description: 'Being written',
        meta: { colour: 'grey' },
        on: { SEND: { target: 'sent', description: 'hand it over', meta: { button: true } } },
      },
      sent: {
        meta: { colour: 'blue', help: ['a', 'b'] },
        tags: ['outside'],
        on: { BACK: 'draft' },
      },
    },
  }),
  scripts: [script('SEND', 'BACK', 'BACK')],
};

const wildcards: CorpusEntry = {
  name: 'exact, partial and full wildcards, by priority',
  machine: createMachine({
    id: 'wild',
    initial: 'on',
    states: {
      on: {
        on: {
          'mouse.*': { actions: 'anyMouse' },
          'mouse.click.*': { actions: 'anyClick' },
          'mouse.click.left': [
            { guard: ({ event }) => event['twice'] === true, target: 'off' },
            { guard: () => false, actions: 'never' },
          ],
          '*': {
            actions: {
              type: 'anything',
              params: ({ event }: { event: AnyEventObject }) => ({ type: event.type }),
            },
          },
        },
      },
      off: {
        on: {
          'key.*': 'on',
          '*': { target: 'on', guard: ({ event }) => event.type.startsWith('mouse') },
        },
      },
    },
    on: { '*': { actions: 'rootAnything' }, silent: undefined },
  }),
  scripts: [
    script(
      'mouse.move',
      'mouse.click',
      'mouse.click.right',
      'mouse.click.left',
      { type: 'mouse.click.left', twice: true },
      'key',
      'key.a.b',
    ),
    script(
      'silent',
      'mouse',
      'mousetrap',
      'xstate.after.10.wild.on',
      'xstate.done.actor.nobody',
      { type: 'mouse.click.left', twice: true },
      'other',
      'mouse.up',
    ),
  ],
};

const forbidden: CorpusEntry = {
  name: 'forbidden events in a child, handled by the root otherwise',
  machine: createMachine({
    id: 'ban',
    initial: 'free',
    on: { PING: { actions: 'rootPing' }, HOME: '.free' },
    states: {
      free: { on: { LOCK: 'locked' } },
      locked: {
        initial: 'hard',
        on: { PING: undefined, OPEN: 'free', HOME: {} },
        states: {
          hard: { on: { PING: { guard: () => false, actions: 'never' }, SOFTEN: 'soft' } },
          soft: { on: { PING: { actions: 'softPing' }, HOME: [] } },
        },
      },
    },
  }),
  scripts: [script('PING', 'LOCK', 'PING', 'HOME', 'SOFTEN', 'PING', 'HOME', 'OPEN', 'HOME')],
};

const rootEvents: CorpusEntry = {
  name: 'events on the root, by relative target and by id, with payload',
  machine: setup({
    types: { context: {} as { from: string[] } },
    actions: { homeStay: silent },
  }).createMachine({
    id: 'router',
    context: { from: [] },
    initial: 'home',
    on: {
      GO_HOME: '.home',
      GO_DEEP: {
        target: '#cellar',
        actions: assign({ from: ({ context, event }) => [...context.from, String(event['from'])] }),
      },
      STAY: {
        actions: assign(({ context, event }) => ({
          from: context.from.concat(Object.keys(event).filter((key) => key !== 'atMs')),
        })),
      },
    },
    states: {
      home: {
        on: { STAY: [{ guard: ({ context }) => context.from.length > 1, actions: 'homeStay' }] },
      },
      house: {
        initial: 'hall',
        states: { hall: {}, 'cellar.old': { id: 'cellar', on: { UP: 'hall' } } },
      },
    },
  }),
  scripts: [
    script({ type: 'GO_DEEP', from: 'x' }, { type: 'STAY', a: 1, b: 2 }, 'UP', 'GO_HOME', 'STAY', {
      type: 'GO_DEEP',
      from: 'y',
    }),
  ],
};

const routes: CorpusEntry = {
  name: 'routes: a target named by the event',
  machine: createMachine({
    id: 'site',
    initial: 'home',
    states: {
      home: { id: 'home', route: {} },
      shop: {
        initial: 'list',
        states: {
          list: { id: 'list', route: { guard: ({ event }) => event.type !== 'never' } },
          item: { id: 'item', route: { actions: 'itemShown' } },
          hidden: { id: 'hidden' },
        },
      },
    },
  }),
  scripts: [
    script(
      { type: 'xstate.route', to: '#item' },
      { type: 'xstate.route', to: '#hidden' },
      { type: 'xstate.route', to: '#list' },
      { type: 'xstate.route', to: '#home' },
    ),
  ],
};

export const describing: readonly CorpusEntry[] = [
  tags,
  meta,
  wildcards,
  forbidden,
  rootEvents,
  routes,
];
