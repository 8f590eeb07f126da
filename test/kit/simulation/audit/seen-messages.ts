// Seen messages: tells the audit of messages that are stepped in the group that took them. They are never rows, so no trigger
// sees them; with their group they are undone.

import {
  type Connection,
  type MessageRow,
  MessagesTable,
  type NewMessage,
} from '../../../../persistence/index.ts';

const SEE = `INSERT INTO audit_messages(seq, id, actor, sender, event, kind, ready_at, incarnation, cause, after_row)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(seq), 0) FROM journal))`;

export class SeenMessages extends MessagesTable {
  private readonly see;

  constructor(connection: Connection) {
    super(connection);
    this.see = connection.prepare(SEE);
  }

  override arrival(message: NewMessage, seq: number): MessageRow {
    const row = super.arrival(message, seq);
    const { id, actor, sender, event, kind, ready_at: readyAtMs, incarnation, cause } = row;
    this.see.run(seq, id, actor, sender, event, kind, readyAtMs, incarnation, cause);
    return row;
  }
}
