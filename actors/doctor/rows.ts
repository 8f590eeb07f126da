// Rows: what in the store itself is damaged, belongs to nobody, or waits for an operator.

import type { Inspection, NamedQuestion } from '../../persistence/index.ts';
import { about, type DoctorFinding, shellQuoted } from './finding.ts';

type RowFinding = Omit<DoctorFinding, 'count' | 'subjects'>;

/** What each question means when it names rows. */
const MEANINGS: readonly (readonly [NamedQuestion, (store: string) => RowFinding])[] = [
  [
    'stuck',
    () => ({
      severity: 'error',
      code: 'stuck',
      problem:
        'These actors are stuck: each waits for an operator on a message that it could not take.',
      mend: 'troupe stuck',
    }),
  ],
  [
    'damagedActors',
    () => ({
      severity: 'error',
      code: 'actor_damaged',
      problem: 'The stored form of these live actors is no JSON: their next message parks them.',
      mend: 'troupe show ADDRESS; restore the row from a backup, or troupe stop ADDRESS',
    }),
  ],
  [
    'unknownStatus',
    () => ({
      severity: 'error',
      code: 'status_unknown',
      problem: 'The status of these actors is none that Troupe writes: no host steps them.',
      mend: 'restore the rows from a backup',
    }),
  ],
  [
    'damagedMessages',
    () => ({
      severity: 'error',
      code: 'message_damaged',
      problem: 'The event of these messages is no JSON: each parks its actor, or has.',
      mend: 'let a host meet them, then troupe skip ADDRESS: the text is kept in troupe undeliverable',
    }),
  ],
  [
    'heldMailboxes',
    () => ({
      severity: 'error',
      code: 'mailbox_held',
      problem: 'The mailbox of these active actors is held: they could not even be parked.',
      mend: 'troupe retry ADDRESS --revision REVISION --reason REASON',
    }),
  ],
  [
    'unborn',
    () => ({
      severity: 'error',
      code: 'actor_unborn',
      problem: 'These actors were never born, and the message that gives birth is gone.',
      mend: 'troupe stop ADDRESS --revision 0 --reason REASON, then spawn them under another id',
    }),
  ],
  [
    'orphanMessages',
    () => ({
      severity: 'warning',
      code: 'message_orphaned',
      problem: 'These messages wait for actors that have ended or do not exist.',
      mend: 'troupe run MODULE: a host that knows the machine keeps them in troupe undeliverable',
    }),
  ],
  [
    'orphanCalls',
    (store) => ({
      severity: 'error',
      code: 'call_orphaned',
      problem:
        'These open calls belong to actors that have ended or do not exist: one that has not started would start for nobody.',
      mend: `sqlite3 ${shellQuoted(store)} "UPDATE calls SET status = 'notStarted' WHERE status = 'ordered' AND attempt = 0 AND id = 'ID'"`,
    }),
  ],
  [
    'callsWithoutHost',
    () => ({
      severity: 'warning',
      code: 'call_without_host',
      problem: 'These calls were claimed by hosts that have no row any more.',
      mend: 'troupe run MODULE: the next host settles them by their class',
    }),
  ],
  [
    'orphanChildren',
    () => ({
      severity: 'warning',
      code: 'child_orphaned',
      problem:
        'The parent of these live actors has ended or does not exist: nobody waits for them.',
      mend: 'troupe stop ADDRESS --revision REVISION --reason REASON, if they have no work of their own',
    }),
  ],
];

export function rowFindings(inspection: Inspection, store: string): DoctorFinding[] {
  return MEANINGS.flatMap(([question, meaning]) =>
    about(inspection.named(question), meaning(store)),
  );
}
