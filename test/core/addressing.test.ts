// K5: only an active actor is stepped; what cannot reach one is answered with a typed error and kept.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, sendTo, setup, stopChild } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, refusal, start } from './harness.ts';

const kid = createMachine({ id: 'kid', on: { HI: {} } });

const room = setup({
  types: { context: {} as { heard: string[] } },
  actors: { kid },
}).createMachine({
  id: 'room',
  context: { heard: [] },
  initial: 'open',
  invoke: { id: 'kid', src: 'kid' },
  states: {
    open: {
      on: {
        END: 'closed',
        THROW: {
          guard: () => {
            throw new Error('no');
          },
          target: 'closed',
        },
        STOP: { actions: stopChild('kid') },
        HEAR: {
          actions: assign({
            heard: ({ context, event }) => [
              ...context.heard,
              (event as { what?: string }).what ?? '',
            ],
          }),
        },
        TELL: {
          actions: sendTo(
            ({ system, event }) => system.get((event as { to?: string }).to ?? ''),
            ({ event }) => ({ type: 'HEAR', what: (event as { what?: string }).what }),
          ),
        },
      },
    },
    closed: { type: 'final' },
  },
});

const machines = [durable(room), durable(kid)];

async function rooms(...ids: string[]): Promise<TestTroupe> {
  const test = await start({ machines });
  for (const id of ids) await test.troupe.spawn(durable(room), { id });
  await test.clock.settle();
  return test;
}

describe('a send from outside', () => {
  it('[K5] to an unknown actor is refused, kept, and given to nobody who is born later', async () => {
    const { troupe, clock } = await rooms();
    const error = await refusal(troupe.send('room/x', { type: 'HEAR' }), 'actor_unknown');
    expect(error.message).toContain('There is no actor room/x.');
    expect(await troupe.undeliverable()).toMatchObject([
      { reason: 'actor_unknown', message: { actor: 'room/x', event: { type: 'HEAR' } } },
    ]);
    await troupe.spawn(durable(room), { id: 'x' });
    await clock.settle();
    expect(await troupe.get('room/x')).toMatchObject({ revision: 1, context: { heard: [] } });
  });

  it('[K5] to a final actor is refused and kept', async () => {
    const { troupe } = await rooms('1');
    await troupe.send('room/1', { type: 'END' });
    await refusal(troupe.send('room/1', { type: 'HEAR' }), 'actor_final');
    expect(await troupe.undeliverable()).toMatchObject([
      { reason: 'actor_final', message: { actor: 'room/1', event: { type: 'HEAR' } } },
    ]);
    expect(await troupe.get('room/1')).toMatchObject({ status: 'done', revision: 2 });
  });

  it('[K5] to a stopped actor is refused and kept', async () => {
    const { troupe } = await rooms('1');
    const address = 'kid/1.kid@1';
    await troupe.send(address, { type: 'HI' });
    await troupe.send('room/1', { type: 'STOP' });
    await refusal(troupe.send(address, { type: 'HI' }), 'actor_stopped');
    expect(await troupe.undeliverable()).toMatchObject([{ reason: 'actor_stopped' }]);
    expect(await troupe.get(address)).toMatchObject({ status: 'stopped', revision: 2 });
  });

  it('[K5] to a stuck actor is refused and leaves nothing', async () => {
    const { troupe, rows } = await rooms('1');
    await troupe.send('room/1', { type: 'THROW' });
    const before = rows('SELECT * FROM messages');
    const error = await refusal(troupe.send('room/1', { type: 'HEAR' }), 'actor_stuck');
    expect(error.message).toContain('troupe show room/1');
    expect(rows('SELECT * FROM messages')).toEqual(before);
    expect(await troupe.undeliverable()).toEqual([]);
  });

  it.each(['room', '/1', 'room/', ''])(
    '[K5] %j is no address and reaches nobody',
    async (address) => {
      const { troupe, rows } = await rooms();
      const error = await refusal(troupe.send(address, { type: 'HI' }), 'invalid_address');
      expect(error.message).toContain('for example archive/photos');
      expect(rows('SELECT * FROM undeliverable')).toEqual([]);
    },
  );
});

describe('a message from inside', () => {
  const tell = (to: string, what: string) => ({ type: 'TELL', to, what });

  it('[K5] to an unknown, a final or a stopped actor is kept, and its sender goes on', async () => {
    const { troupe } = await rooms('1', 'ended');
    await troupe.send('room/ended', { type: 'END' });
    for (const to of ['room/none', 'room/ended', 'kid/ended.kid@1', 'nothing/here']) {
      await troupe.send('room/1', tell(to, to));
    }
    const kept = await troupe.undeliverable();
    expect(kept.map(({ reason }) => reason)).toEqual([
      'actor_unknown',
      'actor_final',
      'actor_stopped',
      'actor_unknown',
    ]);
    expect(kept[0]?.message).toMatchObject({
      actor: 'room/none',
      sender: 'room/1',
      event: { type: 'HEAR', what: 'room/none' },
    });
    expect(await troupe.get('room/1')).toMatchObject({ status: 'active', revision: 5 });
  });

  it('[K5] to a stuck actor is kept for it, in order', async () => {
    const { troupe } = await rooms('1', 'stuck');
    await troupe.send('room/stuck', { type: 'THROW' });
    for (const what of ['a', 'b', 'c']) await troupe.send('room/1', tell('room/stuck', what));
    const { status, messages, revision } = await troupe.get('room/stuck');
    expect(status).toBe('stuck');
    expect(revision).toBe(1);
    expect(messages.map(({ event }) => event)).toEqual([
      { type: 'THROW' },
      { type: 'HEAR', what: 'a' },
      { type: 'HEAR', what: 'b' },
      { type: 'HEAR', what: 'c' },
    ]);
    expect(await troupe.undeliverable()).toEqual([]);
  });

  it('[K5] what waited when an actor got stuck keeps its number and its place', async () => {
    const { troupe, rows, clock } = await rooms('1');
    const events = [{ type: 'HEAR' }, { type: 'THROW' }, { type: 'HEAR' }, { type: 'HEAR' }];
    const receipts = await Promise.all(events.map((event) => troupe.send('room/1', event)));
    await clock.settle();
    expect(
      rows('SELECT seq FROM messages WHERE actor = ? ORDER BY ready_at, seq', 'room/1'),
    ).toEqual(receipts.slice(1).map(({ seq }) => ({ seq })));
    expect(await troupe.get('room/1')).toMatchObject({ status: 'stuck', revision: 2 });
  });

  it('[K5] a mailbox longer than one group keeps its order when its actor gets stuck', async () => {
    const { troupe, clock } = await rooms('1');
    const sends = [troupe.send('room/1', { type: 'THROW' })];
    for (let n = 0; n < 600; n++) sends.push(troupe.send('room/1', { type: 'HEAR', n } as never));
    await Promise.all(sends);
    await clock.settle();
    const { messages } = await troupe.get('room/1');
    const seqs = messages.map(({ seq }) => seq);
    expect(seqs).toHaveLength(601);
    expect(seqs).toEqual((await Promise.all(sends)).map(({ seq }) => seq));
  });
});
