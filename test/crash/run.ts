// Run: one archive through all the deaths of its plan, to its end.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../kit/index.ts';
import { makePlace, type Place, readLedger } from './place.ts';
import { explainKill, type Kill, type Plan } from './plan.ts';
import { checkAfterDeath, checkAtEnd } from './witness.ts';

const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url));

/** Past it a host is taken for stuck. Milliseconds. */
const HOST_LIMIT_MS = 40_000;

/** What a host gets beside its place. */
export interface HostOptions {
  readonly paceMs?: number;
  readonly approve?: boolean;
  readonly approvalLimitMs?: number;
  readonly retryMs?: number;
  readonly killAt?: { readonly boundary: string; readonly count: number };
}

export interface Host {
  readonly process: ChildProcess;
  /** `killed`, or `done`. Rejects when it ended in any other way. */
  readonly ended: Promise<'killed' | 'done'>;
}

/** Goes through a plan. @returns the kills that happened. @throws naming the line that repeats it. */
export async function runPlan(plan: Plan): Promise<readonly Kill[]> {
  const place = makePlace();
  const killed: Kill[] = [];
  let doing = 'the last host';
  try {
    for (const kill of plan.kills) {
      doing = explainKill(kill);
      if ((await runHost(place, plan, kill)) === 'done') continue;
      killed.push(kill);
      checkAfterDeath(place);
    }
    doing = 'the last host';
    await startHost(place, { paceMs: plan.paceMs }).ended;
    checkAtEnd(place, killed);
    return killed;
  } catch (error) {
    const kills = plan.kills.map(explainKill).join(', ');
    throw new Error(
      `TROUPE_CRASH_SEED=${plan.seed} npm test -- test/crash   # at ${doing}; kills: ${kills}`,
      { cause: error },
    );
  } finally {
    place.remove();
  }
}

async function runHost(place: Place, { paceMs }: Plan, kill: Kill): Promise<'killed' | 'done'> {
  if (kill.kind === 'boundary') return startHost(place, { paceMs, killAt: kill }).ended;
  const begunBefore = kill.kind === 'call' ? begun(place, kill.call) : 0;
  const host = startHost(place, { paceMs });
  const isTime =
    kill.kind === 'time'
      ? timer(kill.ms)
      : () => begun(place, kill.call) >= begunBefore + kill.count;
  let hasEnded = false;
  const ended = host.ended.finally(() => {
    hasEnded = true;
  });
  await Promise.race([ended, until(() => hasEnded || isTime(), { limitMs: HOST_LIMIT_MS })]);
  host.process.kill('SIGKILL');
  return ended;
}

function timer(ms: number): () => boolean {
  const untilMs = performance.now() + ms;
  return () => performance.now() >= untilMs;
}

function begun(place: Place, call: string): number {
  return readLedger(place).filter((line) => line.at === 'begin' && line.call === call).length;
}

/** Starts a host on a place. */
export function startHost(place: Place, options: HostOptions): Host {
  const { paceMs, approvalLimitMs, retryMs, killAt, approve = true } = options;
  const { folder, target, ledger } = place;
  const input = {
    folder,
    target,
    ledger,
    ...(paceMs === undefined ? {} : { paceMs }),
    ...(approvalLimitMs === undefined ? {} : { approvalLimitMs }),
    ...(retryMs === undefined ? {} : { retryMs }),
  };
  const argument = JSON.stringify({ store: place.store, input, approve, killAt });
  const child = spawn(process.execPath, [HOST, argument], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const ended = new Promise<'killed' | 'done'>((resolve, reject) => {
    const limit = setTimeout(() => {
      complaints += `it did not end within ${HOST_LIMIT_MS} ms`;
      child.kill('SIGABRT');
    }, HOST_LIMIT_MS);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (signal === 'SIGKILL') resolve('killed');
      else if (code === 0) resolve('done');
      else reject(new Error(`a host ended with ${signal ?? code}: ${complaints}`));
    });
  });
  return { process: child, ended };
}
