// K8: custom actions are notifications: after the commit, at most once, on frozen copies, with a self that sends messages.

import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { assign, log, setup } from 'xstate';
import { durable, refusal, start } from './harness.ts';

interface Args {
  readonly context: { count: number; list: number[] };
  readonly event: { readonly type: string };
  readonly self: { readonly id: string; send(event: { type: string }): void };
  readonly system: { get(address: string): { send(event: { type: string }): void } };
}

let told: unknown[] = [];
let onTell: (args: Args, params: unknown) => void = () => {};

const teller = durable(
  setup({
    types: { context: {} as Args['context'] },
    actions: {
      tell: (args, params: unknown) => onTell(args as unknown as Args, params),
    },
  }).createMachine({
    id: 'teller',
    context: { count: 0, list: [0] },
    on: {
      TELL: {
        actions: [
          assign({ count: ({ context }) => context.count + 1 }),
          { type: 'tell', params: ({ context }: Args) => ({ count: context.count }) },
          assign({ count: ({ context }) => context.count + 10 }),
        ],
      },
      ECHO: { actions: assign({ list: ({ context }) => [...context.list, context.count] }) },
      LOG: { actions: log(({ context }) => context.count, 'counted') },
      MISSING: { actions: 'nowhere' as never },
      INLINE: { actions: ({ context }) => told.push(['inline', context.count]) },
    },
  }),
);

beforeEach(() => {
  told = [];
  onTell = ({ context, event }, params) => told.push([context.count, event.type, params]);
});

describe('a notification', () => {
  it('[K8] sees what XState gives: the context and params of its place in the step', async () => {
    const { troupe } = await start({ machines: [teller] });
    await troupe.spawn(teller, { id: '1' });
    await troupe.send('teller/1', { type: 'TELL' });
    expect(told).toEqual([[1, 'TELL', { count: 1 }]]);
    await troupe.send('teller/1', { type: 'INLINE' });
    expect(told.at(-1)).toEqual(['inline', 11]);
  });

  it('[K8] runs once, and never again after a restart', async () => {
    const test = await start({ machines: [teller] });
    await test.troupe.spawn(teller, { id: '1' });
    await test.troupe.send('teller/1', { type: 'TELL' });
    await test.reopen();
    await test.reopen();
    await test.clock.advance(60_000);
    expect(told).toHaveLength(1);
  });

  it('[K8] does not run when its host ends between commit and performing', async () => {
    let isBroken = false;
    const test = await start({
      machines: [teller],
      boundary: (point) => {
        if (isBroken && point === 'group.committed') throw new Error('the process died here');
      },
    });
    await test.troupe.spawn(teller, { id: '1' });
    await test.clock.settle();
    isBroken = true;
    await expect(test.troupe.send('teller/1', { type: 'TELL' })).rejects.toThrow('died here');
    isBroken = false;
    await test.reopen();
    expect(await test.troupe.get('teller/1')).toMatchObject({ revision: 2 });
    expect(told).toEqual([]);
  });

  it('[K8] gets frozen copies: what it does to them throws there and reaches no actor', async () => {
    onTell = ({ context }, params) => {
      for (const change of [
        () => {
          context.count = 1_000;
        },
        () => context.list.push(1),
        () => Object.assign(params as object, { more: 1 }),
      ]) {
        expect(change).toThrow(TypeError);
      }
      told.push('tried');
    };
    const { troupe } = await start({ machines: [teller] });
    await troupe.spawn(teller, { id: '1' });
    await troupe.send('teller/1', { type: 'TELL' });
    await troupe.send('teller/1', { type: 'ECHO' });
    expect(told).toEqual(['tried']);
    expect((await troupe.get('teller/1')).context).toEqual({ count: 11, list: [0, 11] });
  });

  it('[K8] its self.send is a message with a step of its own', async () => {
    onTell = ({ self }) => {
      told.push(self.id);
      self.send({ type: 'ECHO' });
    };
    const { troupe, clock } = await start({ machines: [teller] });
    await troupe.spawn(teller, { id: '1' });
    await troupe.send('teller/1', { type: 'TELL' });
    await clock.settle();
    expect(told).toEqual(['teller/1']);
    expect((await troupe.journal('teller/1')).map(({ event }) => event)).toMatchObject([
      { type: 'xstate.init' },
      { type: 'TELL' },
      { type: 'ECHO' },
    ]);
    expect((await troupe.get('teller/1')).context).toEqual({ count: 11, list: [0, 11] });
  });

  it('[K8] system.get(address).send reaches another actor', async () => {
    onTell = ({ system }) => system.get('teller/2').send({ type: 'ECHO' });
    const { troupe, clock } = await start({ machines: [teller] });
    for (const id of ['1', '2']) await troupe.spawn(teller, { id });
    await troupe.send('teller/1', { type: 'TELL' });
    await clock.settle();
    expect(await troupe.get('teller/2')).toMatchObject({ context: { list: [0, 0] } });
  });
});

describe('a notification that fails', () => {
  it.each([
    ['rejects', () => Promise.reject(new Error('no')) as never],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['sends nonsense', ({ self }: Args) => self.send('nonsense' as never)],
    ['sends to nobody', ({ system }: Args) => system.get('teller/x').send({ type: 'ECHO' })],
  ])('[K8] because it %s is logged, and the actor goes on', async (_what, act) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    onTell = act;
    const { troupe, clock } = await start({ machines: [teller], log });
    await troupe.spawn(teller, { id: '1' });
    await troupe.send('teller/1', { type: 'TELL' });
    await troupe.send('teller/1', { type: 'ECHO' });
    await clock.settle();
    expect(await troupe.get('teller/1')).toMatchObject({ status: 'active', revision: 3 });
    expect(lines).toHaveLength(1);
  });

  it('[K8] because there is none of that name is logged, and the actor goes on', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const { troupe } = await start({ machines: [teller], log });
    await troupe.spawn(teller, { id: '1' });
    await troupe.send('teller/1', { type: 'MISSING' });
    expect(lines.join()).toContain('nowhere');
    expect(await troupe.get('teller/1')).toMatchObject({ status: 'active' });
  });
});

it('[K8] log() writes to the host, after the commit', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const { troupe } = await start({ machines: [teller], log });
  await troupe.spawn(teller, { id: '1' });
  await troupe.send('teller/1', { type: 'LOG' });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { actor: 'teller/1', value: 0, msg: 'counted' },
  ]);
  await refusal(troupe.send('teller/2', { type: 'LOG' }), 'actor_unknown');
});
