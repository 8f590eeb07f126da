// World events: what the outside may send, refused where no actor could ever take it. The author's mistakes must not look like
// the engine's.

import { parseBy } from '../../../actors/issues.ts';
import { explainFinding, inspectJson } from '../../../actors/json.ts';
import type { RegisteredMachine, Registry } from '../../../actors/registry/index.ts';
import { knows, nodesOf } from '../explore/chart.ts';
import { refuse, requireKnown, shown } from '../forms.ts';
import type { SimulatedWorld } from './options.ts';

/** @throws {TroupeError} `invalid_option` that names the event: `world.events.door[0]`. */
export function requireEvents(
  events: NonNullable<SimulatedWorld['events']>,
  { machines }: Registry,
): void {
  for (const [name, listed] of Object.entries(events)) {
    const machine = machines.get(name);
    if (machine === undefined) {
      requireKnown('world.events: machine', name, [...machines.keys()]);
      continue;
    }
    for (const [index, event] of listed.entries()) {
      requireEvent(`world.events.${name}[${index}]`, event, machine);
    }
  }
}

/** Of each event that would move nobody: no state of its machine knows it. */
export function unknownEvents(
  events: NonNullable<SimulatedWorld['events']>,
  { machines }: Registry,
): string[] {
  return Object.entries(events).flatMap(([name, listed]) => {
    const steppable = machines.get(name)?.steppable;
    if (steppable?.kind !== 'machine') return [];
    const nodes = nodesOf(steppable.machine);
    return listed.flatMap(({ type }, index) =>
      nodes.some((node) => knows(node, type))
        ? []
        : [`No state of ${name} knows ${type}: look at world.events.${name}[${index}].`],
    );
  });
}

function requireEvent(where: string, event: unknown, { name, schemas }: RegisteredMachine): void {
  if (!isEvent(event)) {
    refuse(
      `${where} is ${shown(event)}. It is an event: { type: '…', … }, whose type does not begin with 'xstate.'.`,
    );
  }
  const parsed = schemas.events === undefined ? { data: event } : parseBy(schemas.events, event);
  if ('why' in parsed) {
    refuse(`${where} does not fit the events of ${name}, which would refuse it: ${parsed.why}.`);
  }
  const finding = inspectJson(parsed.data);
  if (!finding.ok) refuse(`${where} is no JSON: ${explainFinding(finding, 'it')}.`);
}

function isEvent(event: unknown): boolean {
  const type = (event as { readonly type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' && type !== '' && !type.startsWith('xstate.');
}
