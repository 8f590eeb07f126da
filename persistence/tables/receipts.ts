// The receipts table: what makes a caller's id idempotent (M3).

import type { Connection } from '../connection.ts';

export interface Receipt {
  readonly scope: string;
  readonly key: string;
  readonly digest: string;
  readonly actor: string;
  readonly seq: number;
}

export class ReceiptsTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      get: connection.prepare('SELECT * FROM receipts WHERE scope = ? AND key = ?'),
      insert: connection.prepare(
        'INSERT INTO receipts(scope, key, digest, actor, seq) VALUES (@scope, @key, @digest, @actor, @seq)',
      ),
    };
  }

  get(scope: string, key: string): Receipt | undefined {
    return this.statements.get.get(scope, key) as Receipt | undefined;
  }

  insert(receipt: Receipt): void {
    this.statements.insert.run(receipt);
  }
}
