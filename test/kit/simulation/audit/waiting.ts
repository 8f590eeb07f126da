// Waiting: when nothing goes wrong any more, each actor has ended, is stuck with a reason, or waits for somebody who can be
// named: a timer, a call, a child, or an event from outside.

import type { Armings } from '../../../../actors/step/index.ts';
import type { ActorRow } from '../../../../persistence/index.ts';
import { activeNodesOf, isOpenToOutside } from '../../explore/chart.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

export const waiting: Check = (evidence) =>
  rowsOf<ActorRow>(evidence, 'SELECT * FROM actors').flatMap((row) => {
    const why = whyNot(evidence, row);
    return why === undefined ? [] : [findingOf('waiting', why.rule)(`${row.id} ${why.message}`)];
  });

type Why = { readonly rule: string; readonly message: string } | undefined;

function whyNot(evidence: Evidence, row: ActorRow): Why {
  switch (row.status) {
    case 'done':
    case 'error':
    case 'stopped':
      return undefined;
    case 'stuck': {
      const { code } = JSON.parse(row.error ?? '{}') as { readonly code?: string };
      if (code === undefined) return { rule: 'K6', message: 'is stuck and does not say why' };
      // A bug of the engine must not hide behind a parked actor.
      return code === 'assertion_failed'
        ? { rule: 'K6', message: `is stuck by a bug: ${row.error}` }
        : undefined;
    }
    case 'active':
      return isWaiting(evidence, row)
        ? undefined
        : { rule: 'V6', message: `is in ${row.state} and waits for nothing that could come` };
  }
}

function isWaiting({ registry }: Evidence, row: ActorRow): boolean {
  const armings = JSON.parse(row.armings ?? '{}') as Partial<Armings>;
  const armed = [armings.timers, armings.calls, armings.actors];
  if (armed.some((each) => Object.keys(each ?? {}).length > 0)) return true;
  const machine = registry.machines.get(row.machine);
  if (machine === undefined || row.revision === 0) return false;
  const { steppable } = machine;
  // Logic without states takes any event.
  if (steppable.kind !== 'machine') return true;
  const active = activeNodesOf(steppable.machine, JSON.parse(row.state ?? 'null'));
  return active.some(isOpenToOutside);
}
