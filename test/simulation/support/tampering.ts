// Tampering: one clean run of the workload, changed in one place at a time, to show that each check can fail.

import { afterAll, beforeAll } from 'vitest';
import { workload } from '../../kit/index.ts';
import type { Check, Evidence } from '../../kit/simulation/audit/evidence.ts';
import { type OpenRun, simulateOpen } from '../../kit/simulation/simulate.ts';

export interface Tampering {
  readonly run: OpenRun;
  /** What a check finds once something was changed. The store is then as it was. */
  findings(check: Check, sql: string, changed?: Partial<Evidence>): readonly string[];
  /** The first row of a query: the tests need one of its kind. */
  first(sql: string, ...parameters: unknown[]): Record<string, never>;
}

/** Runs the workload once for the tests of a file, under a seed that shows what they need: 4, 7, 9 and 10 show most. */
export function tampering(seed = 4): Tampering {
  let open: OpenRun | undefined;
  beforeAll(async () => {
    open = await simulateOpen({ ...workload(), seed, steps: 500 });
  }, 60_000);
  afterAll(() => open?.close());
  return {
    get run() {
      if (open === undefined) throw new Error('the run is not ready');
      return open;
    },
    findings(check, sql, changed = {}) {
      const { connection } = this.run.evidence;
      // Else SQLite lets nobody change its schema by hand.
      connection.unsafeMode(true);
      connection.exec('SAVEPOINT tampering');
      try {
        connection.exec(sql);
        return check({ ...this.run.evidence, ...changed }).map(
          ({ check: name, rule, message }) => `${name} ${rule}: ${message}`,
        );
      } finally {
        connection.exec('ROLLBACK TO tampering; RELEASE tampering');
        // What SQLite keeps of the schema in memory is read anew.
        connection.pragma('writable_schema = RESET');
        connection.unsafeMode(false);
      }
    },
    first(sql, ...parameters) {
      const row = this.run.evidence.connection.prepare(sql).get(...parameters);
      if (row === undefined) throw new Error(`the run has no row for: ${sql}`);
      return row as Record<string, never>;
    },
  };
}

/** Steps that a message of this kind has caused. */
export const stepOf = (origin: string): string =>
  `SELECT * FROM journal WHERE kind = 'step' AND origin = '${origin}'`;
