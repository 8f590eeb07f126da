// Naive: what a careful person writes in an afternoon: XState's public transition(), one commit per step, the same
// pragmas, a snapshot and a journal row. The yardstick for the engine's steps.

import Database from 'better-sqlite3';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { machine } from './machine.ts';

/** Steps so many times over so many actors, in turn. @returns steps per second. */
export function naiveStepsPerSecond(file: string, actors: number, steps: number): number {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`CREATE TABLE actors(id TEXT PRIMARY KEY, revision INTEGER, snapshot TEXT);
    CREATE TABLE journal(seq INTEGER PRIMARY KEY AUTOINCREMENT, actor TEXT, revision INTEGER, at INTEGER, event TEXT, state TEXT)`);
  const insert = db.prepare('INSERT INTO actors VALUES (?, 0, ?)');
  const update = db.prepare('UPDATE actors SET revision = ?, snapshot = ? WHERE id = ?');
  const append = db.prepare(
    'INSERT INTO journal(actor, revision, at, event, state) VALUES (?, ?, ?, ?, ?)',
  );
  const live: AnyMachineSnapshot[] = [];
  for (let index = 0; index < actors; index++) {
    const [snapshot] = initialTransition(machine);
    live.push(snapshot);
    insert.run(`bench/${index}`, JSON.stringify(machine.getPersistedSnapshot(snapshot)));
  }
  const event = { type: 'NEXT' as const };
  const eventText = JSON.stringify(event);
  const startedMs = performance.now();
  for (let count = 0; count < steps; count++) {
    const index = count % actors;
    const before = live[index];
    if (before === undefined) throw new Error(`no actor ${index}`);
    const [after] = transition(machine, before as never, event);
    const revision = Math.floor(count / actors) + 1;
    db.transaction(() => {
      update.run(revision, JSON.stringify(machine.getPersistedSnapshot(after)), `bench/${index}`);
      append.run(`bench/${index}`, revision, Date.now(), eventText, JSON.stringify(after.value));
    })();
    live[index] = after;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  db.close();
  return steps / seconds;
}
