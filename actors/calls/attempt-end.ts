// Attempt end: how an attempt ended, put into the form in which it may be judged and stored (C3, C6, C7). Pure.

import type { CallRow, CallStatus } from '../../persistence/index.ts';
import { explainFinding, inspectJson } from '../json.ts';
import { CALL_ERROR_CHARACTERS_MAX, EVENT_BYTES_MAX } from '../limits.ts';
import type { AttemptEnd, Cut, ThrownData } from '../ports.ts';
import { bytesOver } from '../step/index.ts';
import { changesNothing, type Settlement } from './settlement.ts';

/** A function that gave up because its signal aborted was cut off, not wrong. */
export function asCut(end: AttemptEnd, cut: Cut | undefined, row: CallRow): AttemptEnd {
  if (cut === undefined || end.kind === 'answered' || end.kind === 'malformed') return end;
  if (end.kind === 'threw' && end.error.outcome === 'failed') return end;
  const why =
    cut === 'time_limit'
      ? `time limit of ${row.limit_ms} ms`
      : 'the host was shut down while it ran';
  return { kind: 'cut', by: cut, why };
}

/** What is no JSON, or too large for an event, is malformed; an error is shortened. */
export function withinLimits(end: AttemptEnd): AttemptEnd {
  if (end.kind === 'threw') return { kind: 'threw', error: shortened(end.error) };
  if (end.kind !== 'answered') return end;
  const finding = inspectJson(end.output);
  if (!finding.ok) return { kind: 'malformed', why: explainFinding(finding, 'it') };
  const bytes = bytesOver(JSON.stringify(end.output) ?? '', EVENT_BYTES_MAX);
  return bytes === undefined
    ? end
    : { kind: 'malformed', why: `it has ${bytes} bytes; at most ${EVENT_BYTES_MAX} are taken` };
}

/** An error is for reading, and must fit an event: of one that does not, the beginning is kept. */
function shortened(error: ThrownData): ThrownData {
  if (bytesOver(JSON.stringify(error), EVENT_BYTES_MAX) === undefined) return error;
  const { details: _details, ...rest } = error;
  const [code, message] = [error.code, error.message].map((text) =>
    text.slice(0, CALL_ERROR_CHARACTERS_MAX),
  ) as [string, string];
  return { ...rest, code, message };
}

/** C7: acknowledged, too late, or unknown. What ended because it was asked to stop may have happened all the same. */
export function cancelledAs(row: CallRow, settlement: Settlement): CallStatus {
  if (settlement.kind === 'done') return 'done';
  if (settlement.kind === 'error' && settlement.error.outcome === 'failed') return 'cancelled';
  return changesNothing(row) ? 'cancelled' : 'unknown';
}
