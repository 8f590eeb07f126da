// Replays: each actor's journal, taken through the step again from its birth, gives the very bytes that are stored (K1, J2).

import { replayRows } from '../../../../actors/replay/index.ts';
import type { ActorRow, JournalRow } from '../../../../persistence/index.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

export const replays: Check = (evidence) =>
  rowsOf<ActorRow>(evidence, 'SELECT * FROM actors').flatMap((row) => checkActor(evidence, row));

function checkActor(evidence: Evidence, row: ActorRow): SimulationFinding[] {
  const found = findingOf('replays', 'K1');
  const machine = evidence.registry.machines.get(row.machine);
  if (machine === undefined)
    return [found(`${row.id} is of machine ${row.machine}, which is not registered`)];
  const rows = rowsOf<JournalRow>(
    evidence,
    'SELECT * FROM journal WHERE actor = ? ORDER BY seq',
    row.id,
  );
  const divergence = replayRows(machine, row, rows);
  if (divergence === undefined) return [];
  const { seq, what, differences } = divergence;
  const told = differences.map(
    ({ path, journal, replay }) =>
      `${path} is ${journal ?? 'nothing'}, its replay ${replay ?? 'nothing'}`,
  );
  return [found(`${row.id}: row ${seq} differs in ${what}: ${told.join('; ')}`)];
}
