import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { type Program, rowsOf, startHost, storeForTest } from './support/process.ts';

interface Ticking {
  readonly state: string;
  readonly context: { readonly ticks: number; readonly pid: number };
}

const tickingIn = async (host: Program) => await host.ask<Ticking>('get', 'ticking/1');

/** Settles when it has ticked so often more, in this process. */
async function ticked(host: Program, pid: number, ticks: number): Promise<void> {
  const { context } = await tickingIn(host);
  await until(
    async () => {
      const now = (await tickingIn(host)).context;
      return now.pid === pid && now.ticks >= context.ticks + ticks;
    },
    { what: `${ticks} ticks more of process ${pid}` },
  );
}

it('[K9a, V5] a listener whose host is killed listens on another, without any start; one whose host stands still does not', async () => {
  const { file } = storeForTest();
  const hosts = [await startHost(file), await startHost(file)];
  await hosts[0]?.ask('spawn', 'ticking', '1', undefined);
  const pidOf = () => {
    const [row] = rowsOf<{ pid: number }>(
      file,
      "SELECT pid FROM hosts JOIN calls ON calls.host = hosts.incarnation WHERE calls.status = 'claimed'",
    );
    return row?.pid;
  };
  await until(() => pidOf() !== undefined, { what: 'a claim' });
  const owner = hosts.find(({ pid }) => pid === pidOf());
  const other = hosts.find(({ pid }) => pid !== pidOf());
  if (owner === undefined || other === undefined) throw new Error('nobody has claimed it');
  await ticked(other, owner.pid, 3);

  owner.signal('SIGSTOP');
  const before = (await tickingIn(other)).context.ticks;
  // Longer than hosts take to find a dead one.
  await other.ask('spawn', 'bell', '1', undefined);
  expect(await other.ask('watch', 'bell/1', 'rung')).toContain('rung');
  expect(rowsOf(file, 'SELECT status, attempt FROM calls')).toEqual([
    { status: 'claimed', attempt: 1 },
  ]);
  expect((await tickingIn(other)).context.ticks).toBeLessThanOrEqual(before + 2);
  owner.signal('SIGCONT');
  await ticked(other, owner.pid, 1);

  await owner.kill();
  await ticked(other, other.pid, 3);
  expect(rowsOf(file, 'SELECT class, status, attempt FROM calls')).toEqual([
    { class: 'listener', status: 'claimed', attempt: 2 },
  ]);
  await other.ask('send', 'ticking/1', { type: 'REST' });
  await until(async () => (await tickingIn(other)).state === 'off');
  await until(() => rowsOf(file, "SELECT 1 FROM calls WHERE status = 'cancelled'").length === 1);
});
