// Naive: what a careful person writes in an afternoon: XState's public transition(), one commit per step, the same
// pragmas, a snapshot and a journal row that can be found by its actor. The yardstick for the engine's steps.

import Database from 'better-sqlite3';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { machine } from './machine.ts';

/** What is stepped: so many actors at a time, so many generations of them, so many steps of each with its birth. */
interface NaiveWork {
  readonly inFlight: number;
  readonly lives: number;
  readonly lifeSteps: number;
}

/** Ids that sort by age, as Troupe's own do. */
export function idOf(life: number, index: number): string {
  return `${life}-${String(index).padStart(3, '0')}`;
}

/** @returns steps per second. */
export function naiveStepsPerSecond(
  file: string,
  { inFlight, lives, lifeSteps }: NaiveWork,
): number {
  const store = openNaive(file);
  const startedMs = performance.now();
  for (let life = 0; life < lives; life++) {
    const live = Array.from({ length: inFlight }, (_, index) => {
      const [snapshot] = initialTransition(machine);
      const id = `bench/${idOf(life, index)}`;
      store.birth(id, snapshot);
      return { id, snapshot: snapshot as AnyMachineSnapshot };
    });
    for (let revision = 2; revision <= lifeSteps; revision++) {
      for (const actor of live) {
        const [after] = transition(machine, actor.snapshot as never, { type: 'NEXT' });
        store.step(actor.id, revision, after);
        actor.snapshot = after;
      }
    }
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  store.close();
  return (inFlight * lives * lifeSteps) / seconds;
}

function openNaive(file: string) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  // The index is what reads one actor's journal.
  db.exec(`CREATE TABLE actors(id TEXT PRIMARY KEY, revision INTEGER, snapshot TEXT);
    CREATE TABLE journal(seq INTEGER PRIMARY KEY AUTOINCREMENT, actor TEXT, revision INTEGER, at INTEGER, event TEXT, state TEXT);
    CREATE INDEX journal_by_actor ON journal(actor, seq)`);
  const insert = db.prepare('INSERT INTO actors VALUES (?, 1, ?)');
  const update = db.prepare('UPDATE actors SET revision = ?, snapshot = ? WHERE id = ?');
  const append = db.prepare(
    'INSERT INTO journal(actor, revision, at, event, state) VALUES (?, ?, ?, ?, ?)',
  );
  const textOf = (snapshot: AnyMachineSnapshot) =>
    JSON.stringify(machine.getPersistedSnapshot(snapshot as never));
  const log = (id: string, revision: number, type: string, { value }: AnyMachineSnapshot) =>
    append.run(id, revision, Date.now(), JSON.stringify({ type }), JSON.stringify(value));
  return {
    birth: db.transaction((id: string, snapshot: AnyMachineSnapshot) => {
      insert.run(id, textOf(snapshot));
      log(id, 1, 'xstate.init', snapshot);
    }),
    step: db.transaction((id: string, revision: number, after: AnyMachineSnapshot) => {
      update.run(revision, textOf(after), id);
      log(id, revision, 'NEXT', after);
    }),
    close: () => db.close(),
  };
}
