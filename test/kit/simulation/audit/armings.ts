// Armings: what an actor waits for is there, and nothing is there that no actor waits for.

import { callIdOf } from '../../../../actors/engine/orders.ts';
import type { Armings } from '../../../../actors/step/index.ts';
import { type Check, findingOf, rowsOf } from './evidence.ts';

interface ActorRow {
  readonly id: string;
  readonly armings: string | null;
}

const LIVE = "SELECT id, armings FROM actors WHERE status IN ('active', 'stuck')";
const TIMERS = "SELECT actor, incarnation FROM messages WHERE kind = 'timer' AND sender = actor";
/** What is open, and what has answered: an answer on its way may find its arming gone. */
const CALLS = `SELECT id AS name, 1 AS isOpen FROM calls WHERE status IN ('ordered', 'claimed')
  UNION ALL SELECT sender, 0 FROM messages WHERE kind = 'call'`;
const CHILDREN = `SELECT id AS name, 1 AS isOpen FROM actors WHERE parent IS NOT NULL AND status IN ('active', 'stuck')
  UNION ALL SELECT sender, 0 FROM messages WHERE kind = 'actor'`;

interface There {
  readonly name: string;
  readonly isOpen: number;
}

export const armings: Check = (evidence) => {
  const armed = { timers: new Set<string>(), calls: new Set<string>(), actors: new Set<string>() };
  for (const { id, armings: text } of rowsOf<ActorRow>(evidence, LIVE)) {
    const live = JSON.parse(text ?? '{"timers":{},"calls":{},"actors":{}}') as Armings;
    for (const timer of Object.keys(live.timers)) armed.timers.add(`${id} ${timer}`);
    for (const call of Object.values(live.calls)) armed.calls.add(callIdOf(id, call));
    for (const child of Object.values(live.actors)) armed.actors.add(child);
  }
  const timers = rowsOf<{ actor: string; incarnation: string }>(evidence, TIMERS);
  return [
    ...compare(
      'timer',
      'T2',
      armed.timers,
      timers.map((each) => ({ name: `${each.actor} ${each.incarnation}`, isOpen: 1 })),
    ),
    ...compare('call', 'C1', armed.calls, rowsOf<There>(evidence, CALLS)),
    ...compare('child', 'K9', armed.actors, rowsOf<There>(evidence, CHILDREN)),
  ];
};

function compare(what: string, rule: string, armed: ReadonlySet<string>, there: readonly There[]) {
  const found = findingOf('armings', rule);
  const counts = new Map<string, number>();
  for (const { name } of there) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [
    ...[...armed]
      .filter((name) => counts.get(name) !== 1)
      .map((name) => found(`${what} ${name} is armed, and there ${counts.get(name) ?? 0} times`)),
    ...there
      .filter(({ name, isOpen }) => isOpen === 1 && !armed.has(name))
      .map(({ name }) => found(`${what} ${name} is there, and nobody waits for it`)),
  ];
}
