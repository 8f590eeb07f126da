// Replays: each actor's journal, taken through the step again from its birth, gives the very bytes that are stored (K1, J2).

import { replay } from '../../../../actors/replay.ts';
import type { ActorRow, JournalRow } from '../../../../persistence/index.ts';
import type { Finding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

export const replays: Check = (evidence) =>
  rowsOf<ActorRow>(evidence, 'SELECT * FROM actors').flatMap((row) => checkActor(evidence, row));

function checkActor(evidence: Evidence, row: ActorRow): Finding[] {
  const found = findingOf('replays', 'K1');
  const machine = evidence.registry.machines.get(row.machine);
  if (machine === undefined)
    return [found(`${row.id} is of machine ${row.machine}, which is not registered`)];
  const rows = rowsOf<JournalRow>(
    evidence,
    'SELECT * FROM journal WHERE actor = ? ORDER BY seq',
    row.id,
  );
  const born = {
    address: row.id,
    parent: row.parent ?? undefined,
    childId: row.child_id ?? undefined,
  };
  const { state, divergence } = replay(machine, born, rows);
  if (divergence !== undefined) {
    const { seq, what, journal, replay: replayed } = divergence;
    return [found(`${row.id}: row ${seq} has ${what} ${journal}, its replay ${replayed}`)];
  }
  const text = row.snapshot ?? '';
  const armings = row.armings ?? JSON.stringify(state.armings);
  const isEqual = state.text === text && JSON.stringify(state.armings) === armings;
  return isEqual
    ? []
    : [found(`${row.id} is stored as ${text}, and its replay gives ${state.text}`)];
}
