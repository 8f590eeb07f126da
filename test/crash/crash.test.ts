// Crash: the archive example is killed, at every kind of instant, and must come to the same end.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { isBuilt } from '../../scripts/build.mjs';
import { until } from '../kit/index.ts';
import { rowsOf } from '../supervision/support/process.ts';
import { makePlace, type Place, readLedger } from './place.ts';
import { boundaryPlans, callPlans, explainKill, type Kill, type Plan, timePlans } from './plan.ts';
import { type Host, runPlan, startHost } from './run.ts';
import { checkLedger, checkPacked, checkStore, reportOf } from './witness.ts';

const LIMIT_MS = 120_000;
const AT_ONCE = 2;
const onlySeed = process.env['TROUPE_CRASH_SEED'];

beforeAll(() => {
  if (!isBuilt()) throw new Error('dist is not of these sources: npm run build');
});

/** Runs plans side by side, up to the first that fails. @returns every kill that happened. */
async function runAll(plans: readonly Plan[]): Promise<Kill[]> {
  const waiting = plans.filter(({ seed }) => onlySeed === undefined || seed === onlySeed);
  const killed: Kill[] = [];
  const work = async (): Promise<void> => {
    for (let plan = waiting.shift(); plan !== undefined; plan = waiting.shift()) {
      killed.push(...(await runPlan(plan)));
    }
  };
  const workers = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      work().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return killed;
}

/** Every planned kill has happened: none of the hosts had ended before. */
function expectAll(killed: readonly Kill[], plans: readonly Plan[]): void {
  if (onlySeed !== undefined) return;
  const planned = plans.flatMap(({ kills }) => kills).map(explainKill);
  expect(killed.map(explainKill).toSorted()).toEqual(planned.toSorted());
}

it(
  '[V6, K3, K2] killed 27 times, at every boundary of a commit, of an opening and of a leaving',
  async () => {
    const plans = boundaryPlans();
    const killed = await runAll(plans);
    expectAll(killed, plans);
  },
  LIMIT_MS,
);

it(
  '[V6, C5] killed 18 times inside calls: read and replayable run again, an effect is looked after',
  async () => {
    const plans = callPlans();
    const killed = await runAll(plans);
    expectAll(killed, plans);
  },
  LIMIT_MS,
);

it(
  '[V6] killed 15 times at any time',
  async () => {
    const plans = timePlans();
    const killed = await runAll(plans);
    expectAll(killed, plans);
  },
  LIMIT_MS,
);

it(
  '[V6, T1] a retry and an approval deadline that fell due while the host was dead fire once',
  async () => {
    const place = makePlace();
    onTestFinished(() => place.remove());
    const options = { approve: false, paceMs: 100, retryMs: 1_000, approvalLimitMs: 1_000 };
    const lost = join(place.folder, 'a.txt');
    const aside = `${place.store}.aside`;

    // One original is away while it is hashed, so that its actor waits for another try.
    const first = startHost(place, options);
    await until(() =>
      readLedger(place).some(({ call, at }) => call === 'listFiles' && at === 'end'),
    );
    renameSync(lost, aside);
    await killWhenDue(first, place, 'archive-file/photos.0-a%', 'backoff');
    renameSync(aside, lost);

    // The next one tries again by itself; it dies while it waits for an approval.
    const second = startHost(place, options);
    await killWhenDue(second, place, 'archive/photos', 'approvalLimit');

    expect(await startHost(place, options).ended).toBe('done');
    checkLedger(place);
    checkStore(place, []);
    checkPacked(place);
    expect(fired(place, 'backoff')).toHaveLength(1);
    expect(fired(place, 'approvalLimit')).toHaveLength(1);
    const { size } = place.originals;
    expect(reportOf(place)).toMatchObject({ decision: 'expired', packed: size, deleted: 0 });
    expect([...place.originals.keys()].every((path) => existsSync(join(place.folder, path)))).toBe(
      true,
    );
    expect(readLedger(place).some(({ call }) => call === 'deleteFile')).toBe(false);
  },
  LIMIT_MS,
);

/** Kills a host as soon as an actor has armed this timer, and settles when that is due. */
async function killWhenDue(host: Host, place: Place, actor: string, timer: string): Promise<void> {
  const sql = `SELECT ready_at FROM messages WHERE kind = 'timer' AND actor LIKE '${actor}' AND event LIKE '%${timer}%'`;
  const dueAtMs = await until(() => rowsOf<{ ready_at: number }>(place.store, sql)[0]?.ready_at);
  host.process.kill('SIGKILL');
  expect(await host.ended).toBe('killed');
  expect(rowsOf(place.store, sql)).toHaveLength(1);
  await until(() => Date.now() > dueAtMs);
}

function fired(place: Place, timer: string): unknown[] {
  return rowsOf(
    place.store,
    `SELECT seq FROM journal WHERE kind = 'step' AND event LIKE '%xstate.after.${timer}%'`,
  );
}
