// The hosts table: who steps this store, and the number of each host's last commit group (V4, V7).

import type { Connection } from '../connection.ts';
import type { HostRow } from '../rows.ts';

export class HostsTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      all: connection.prepare('SELECT * FROM hosts ORDER BY started_at'),
      insert: connection.prepare(
        `INSERT INTO hosts(incarnation, lock_file, inode, schema, pid, started_at)
         VALUES (@incarnation, @lock_file, @inode, @schema, @pid, @started_at)`,
      ),
      remove: connection.prepare('DELETE FROM hosts WHERE incarnation = ?'),
      lastGroup: connection.prepare('SELECT commit_group FROM hosts WHERE incarnation = ?').pluck(),
      number: connection.prepare('UPDATE hosts SET commit_group = ? WHERE incarnation = ?'),
    };
  }

  all(): HostRow[] {
    return this.statements.all.all() as HostRow[];
  }

  insert(host: Omit<HostRow, 'commit_group'>): void {
    this.statements.insert.run(host);
  }

  /** False when the row was gone already. */
  remove(incarnation: string): boolean {
    return this.statements.remove.run(incarnation).changes === 1;
  }

  /** Writes the number of the group into the host's own row; false when that row is gone: the host is fenced. */
  number(incarnation: string, group: number): boolean {
    return this.statements.number.run(group, incarnation).changes === 1;
  }

  /** The number of the last group that this host committed; undefined when it has no row any more. */
  lastGroup(incarnation: string): number | undefined {
    return (this.statements.lastGroup.get(incarnation) as number | null) ?? undefined;
  }
}
