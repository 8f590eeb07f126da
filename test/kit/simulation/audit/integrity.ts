// Integrity: the database itself, the revisions, and what a host leaves behind.

import { type Check, findingOf, rowsOf } from './evidence.ts';

/** SQLite finds nothing wrong, and each actor's revisions are 1, 2, 3 … (K4). */
export const integrity: Check = (evidence) => {
  const found = findingOf('integrity', 'K4');
  const damaged = findingOf('integrity', 'V8');
  const [{ integrity_check: verdict } = { integrity_check: 'nothing' }] = rowsOf<{
    readonly integrity_check: string;
  }>(evidence, 'PRAGMA integrity_check(1)');
  const broken = rowsOf<{ readonly id: string; readonly why: string }>(
    evidence,
    `SELECT id, 'is at revision ' || revision || ', and its journal has ' || steps || ' steps up to ' || last AS why
     FROM (SELECT a.id, a.revision, count(j.seq) AS steps, ifnull(max(j.revision), 0) AS last,
         count(DISTINCT j.revision) AS different
       FROM actors a LEFT JOIN journal j ON j.actor = a.id AND j.kind = 'step' GROUP BY a.id)
     WHERE revision <> steps OR last <> steps OR different <> steps`,
  );
  return [
    ...(verdict === 'ok' ? [] : [damaged(`the database is damaged: ${verdict}`)]),
    ...broken.map(({ id, why }) => found(`${id} ${why}`)),
  ];
};

/** Whoever left or was settled has no row, and no call of it is open (V4, V9). */
export const hosts: Check = (evidence) => {
  const rows = rowsOf<{ readonly incarnation: string }>(evidence, 'SELECT incarnation FROM hosts');
  const open = rowsOf<{ readonly id: string; readonly status: string }>(
    evidence,
    "SELECT id, status FROM calls WHERE status IN ('claimed', 'cancelling')",
  );
  return [
    ...rows.map(({ incarnation }) => findingOf('hosts', 'V4')(`the row of ${incarnation} is left`)),
    ...open.map(({ id, status }) => findingOf('hosts', 'V9')(`${id} is still ${status}`)),
  ];
};
