// K9 for logic without states: a `fromTransition` child is stepped as XState's own pure functions step it.

import { describe, expect, it } from 'vitest';
import { fromTransition, initialTransition, setup, transition } from 'xstate';
import { defineMachine } from '../../actors/define-machine.ts';
import { createRegistry } from '../../actors/registry/index.ts';
import { INIT_EVENT, revive, step, unborn } from '../../actors/step/index.ts';

interface Tally {
  readonly sum: number;
  readonly seen: readonly string[];
}

type Add = { readonly type: string; readonly by?: number };

const tally = fromTransition(
  (state: Tally, event: Add): Tally => ({
    sum: state.sum + (event.by ?? 0),
    seen: [...state.seen, event.type],
  }),
  ({ input }: { input: { readonly start: number } }): Tally => ({ sum: input.start, seen: [] }),
);

const owner = setup({ actors: { tally } }).createMachine({
  id: 'owner',
  invoke: [
    { id: 'tally', src: 'tally', input: { start: 5 } },
    { id: 'other', src: 'tally', input: { start: 0 } },
  ],
});

const events: readonly Add[] = [
  { type: 'ADD', by: 3 },
  { type: 'NOTHING' },
  { type: 'ADD', by: -10 },
  { type: 'xstate.done.actor.nobody' },
];

describe('transition logic', () => {
  for (const mode of ['live', 'restored'] as const) {
    it(`[K9] fromTransition logic steps as XState's, ${mode}`, () => {
      const { machines } = createRegistry([defineMachine({ machine: owner, version: 1 })], []);
      const registered = machines.get('owner.tally');
      if (registered === undefined) throw new Error('The registry has no owner.tally');

      let [expected] = initialTransition(tally, { start: 5 });
      let state = unborn('owner.tally/1.tally@1', 'owner/1', 'tally');
      const birth = { type: INIT_EVENT, input: { start: 5 } };
      for (const [index, event] of [birth, ...events].entries()) {
        const atMs = 1_000 + index;
        if (index > 0) [expected] = transition(tally, expected, event as Add);
        const stepped = step(registered, state, { event, origin: { kind: 'event' }, atMs });
        if (stepped.kind === 'late') throw new Error('The step was late');
        state = mode === 'live' ? stepped.after : revive(registered, stepped.after);
        expect(state.snapshot).toMatchObject({
          status: expected.status,
          context: expected.context,
        });
      }
      expect(expected.context.sum).toBe(-2);
    });
  }

  it('[K9] the same logic stands for each source of its name', () => {
    const { machines } = createRegistry([defineMachine({ machine: owner, version: 1 })], []);
    expect([...machines.keys()].toSorted()).toEqual(['owner', 'owner.tally']);
    expect(machines.get('owner')?.sources.get('tally')).toEqual({
      kind: 'actor',
      machine: 'owner.tally',
    });
  });
});
