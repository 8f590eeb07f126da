// The actors table: one row for each actor, at its last committed step.

import type { ActorAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import type { ActorRow, ActorStatus } from '../rows.ts';

export interface NewActor {
  readonly id: ActorAddress;
  readonly machine: string;
  readonly machineVersion: number;
  readonly parent: ActorAddress | undefined;
  readonly childId: string | undefined;
  /** The incarnation of the host that it is bound to (V4a). */
  readonly host?: string | undefined;
  readonly input: string | undefined;
  /** What it is born with. Undefined: nothing. */
  readonly armings: string | undefined;
  readonly atMs: number;
}

/** An actor that begins in the middle of another's life (J4). */
export interface ForkedActor extends ActorStep {
  readonly machine: string;
  readonly machineVersion: number;
  readonly parent: ActorAddress | undefined;
  readonly childId: string | undefined;
  readonly arrivedAtMs: number;
}

export interface ActorStep {
  readonly id: ActorAddress;
  readonly baseRevision: number;
  readonly status: ActorStatus;
  readonly state: string;
  readonly tags: string;
  readonly snapshot: string;
  readonly armings: string;
  readonly atMs: number;
}

/** What `list` selects. Absent means any; `after` is the last address of the page before. */
export interface ActorFilter {
  readonly machine?: string | undefined;
  readonly status?: ActorStatus | undefined;
  readonly parent?: string | undefined;
  readonly tag?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

const INSERT = `INSERT INTO actors(id, machine, machine_version, parent, child_id, host, revision, status, input, armings, created_at, updated_at)
  VALUES (@id, @machine, @machineVersion, @parent, @childId, @host, 0, 'active', @input, @armings, @atMs, @atMs)`;

const FORK = `INSERT INTO actors(id, machine, machine_version, parent, child_id, revision, status, state, tags, snapshot,
    armings, created_at, updated_at)
  VALUES (@id, @machine, @machineVersion, @parent, @childId, @baseRevision, @status, @state, @tags, @snapshot,
    @armings, @arrivedAtMs, @atMs)`;

/** Values by their places, as in every statement that a step needs: binding by name costs more than the statement. */
const STEP = `UPDATE actors SET revision = revision + 1, status = ?, state = ?, tags = ?, snapshot = ?, armings = ?, updated_at = ?
  WHERE id = ? AND revision = ? AND status = 'active'`;

const LIST = `SELECT * FROM actors
  WHERE (@machine IS NULL OR machine = @machine) AND (@status IS NULL OR status = @status)
    AND (@parent IS NULL OR parent = @parent)
    AND (@tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = @tag)) AND id > @after
  ORDER BY id LIMIT @limit`;

/** An actor and all below it that are not final: who is stopped with it. */
const TREE = `WITH RECURSIVE tree(id) AS (
    SELECT @id UNION ALL SELECT actors.id FROM actors JOIN tree ON actors.parent = tree.id
  ) SELECT actors.id, actors.revision FROM actors JOIN tree USING (id) WHERE status IN ('active', 'stuck')`;

/** Those for which nothing more will happen by itself need not be told. */
const BOUND_TO = `SELECT id FROM actors WHERE host = ? AND status IN ('active', 'stuck')
  AND NOT EXISTS (SELECT 1 FROM json_each(tags) WHERE value = 'settled') ORDER BY id`;

/** Everything that is not known to have ended: a damaged status must be seen, too. */
const LIVE = `SELECT * FROM actors WHERE status NOT IN ('done', 'error', 'stopped') AND id > ?
  ORDER BY id LIMIT ?`;

export class ActorsTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      insert: connection.prepare(INSERT),
      fork: connection.prepare(FORK),
      step: connection.prepare(STEP),
      get: connection.prepare('SELECT * FROM actors WHERE id = ?'),
      status: connection.prepare('SELECT status FROM actors WHERE id = ?').pluck(),
      park: connection.prepare(
        "UPDATE actors SET status = 'stuck', error = @error, updated_at = @atMs WHERE id = @id AND status = 'active'",
      ),
      unpark: connection.prepare(
        "UPDATE actors SET status = 'active', error = NULL, updated_at = @atMs WHERE id = @id AND status = 'stuck'",
      ),
      stop: connection.prepare(
        "UPDATE actors SET status = 'stopped', updated_at = @atMs WHERE id = @id",
      ),
      list: connection.prepare(LIST),
      tree: connection.prepare(TREE),
      boundTo: connection.prepare(BOUND_TO).pluck(),
      migrate: connection.prepare('UPDATE actors SET machine_version = ? WHERE id = ?'),
      hasVersion: connection.prepare(
        'SELECT 1 FROM actors WHERE machine = ? AND machine_version = ? LIMIT 1',
      ),
      live: connection.prepare(LIVE),
      countByStatus: connection.prepare(
        'SELECT machine, status, count(*) AS count FROM actors GROUP BY machine, status',
      ),
    };
  }

  insert(actor: NewActor): void {
    this.statements.insert.run({
      ...actor,
      parent: actor.parent ?? null,
      childId: actor.childId ?? null,
      host: actor.host ?? null,
      input: actor.input ?? null,
      armings: actor.armings ?? null,
    });
  }

  /** Inserts an actor at its base revision, with what it has there. */
  fork(actor: ForkedActor): void {
    const { parent, childId } = actor;
    this.statements.fork.run({ ...actor, parent: parent ?? null, childId: childId ?? null });
  }

  /** Writes one step; false when the stored revision is not the base any more (K4). */
  step(step: ActorStep): boolean {
    const { status, state, tags, snapshot, armings, atMs, id, baseRevision } = step;
    return (
      this.statements.step.run(status, state, tags, snapshot, armings, atMs, id, baseRevision)
        .changes === 1
    );
  }

  get(id: string): ActorRow | undefined {
    return this.statements.get.get(id) as ActorRow | undefined;
  }

  status(id: string): ActorStatus | undefined {
    return this.statements.status.get(id) as ActorStatus | undefined;
  }

  park(id: ActorAddress, error: string, atMs: number): void {
    this.statements.park.run({ id, error, atMs });
  }

  /** Makes a stuck actor active again. */
  unpark(id: ActorAddress, atMs: number): void {
    this.statements.unpark.run({ id, atMs });
  }

  stop(id: ActorAddress, atMs: number): void {
    this.statements.stop.run({ id, atMs });
  }

  /** The actor and its descendants that can still move. */
  tree(id: ActorAddress): readonly Pick<ActorRow, 'id' | 'revision'>[] {
    return this.statements.tree.all({ id }) as Pick<ActorRow, 'id' | 'revision'>[];
  }

  list(filter: ActorFilter): ActorRow[] {
    return this.statements.list.all({
      machine: filter.machine ?? null,
      status: filter.status ?? null,
      parent: filter.parent ?? null,
      tag: filter.tag ?? null,
      after: filter.after ?? '',
      limit: filter.limit,
    }) as ActorRow[];
  }

  /** Unsettled actors that are bound to a host (V4a). */
  boundTo(host: string): ActorAddress[] {
    return this.statements.boundTo.all(host) as ActorAddress[];
  }

  /** Names the version that an actor is in from now on (G2). */
  migrate(id: ActorAddress, machineVersion: number): void {
    this.statements.migrate.run(machineVersion, id);
  }

  /** True when an actor of this machine, live or ended, is in this version. */
  hasVersion(machine: string, version: number): boolean {
    return this.statements.hasVersion.get(machine, version) !== undefined;
  }

  /** A page of those that have not ended, in the order of their addresses. */
  live(after: string, limit: number): ActorRow[] {
    return this.statements.live.all(after, limit) as ActorRow[];
  }

  countByStatus(): readonly { machine: string; status: ActorStatus; count: number }[] {
    return this.statements.countByStatus.all() as {
      machine: string;
      status: ActorStatus;
      count: number;
    }[];
  }
}
