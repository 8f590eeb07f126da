// Ticking: a machine whose listener ticks in real time, and says which process it lives in.

import { assign, fromCallback, setup } from 'xstate';
import { defineMachine } from '../../../actors/index.ts';

const TICK_MS = 20;

export const ticking = defineMachine({
  version: 1,
  machine: setup({
    types: {
      context: {} as { ticks: number; pid: number },
      events: {} as { type: 'TICK'; pid: number } | { type: 'REST' },
    },
    actors: {
      clock: fromCallback(({ sendBack }) => {
        const timer = setInterval(() => sendBack({ type: 'TICK', pid: process.pid }), TICK_MS);
        return () => clearInterval(timer);
      }),
    },
  }).createMachine({
    id: 'ticking',
    context: { ticks: 0, pid: 0 },
    initial: 'on',
    states: {
      on: {
        invoke: { id: 'clock', src: 'clock' },
        on: {
          TICK: {
            actions: assign(({ context, event }) => ({
              ticks: context.ticks + 1,
              pid: event.pid,
            })),
          },
          REST: 'off',
        },
      },
      off: {},
    },
  }),
});
