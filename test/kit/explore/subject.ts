// Subject: the machine that is explored, registered as a host does it, and what may come to it, checked as a host does it.

import { type AnyMachineDefinition, defineMachine, TroupeError } from '../../../actors/index.ts';
import { parseBy } from '../../../actors/issues.ts';
import { explainFinding, inspectJson } from '../../../actors/json.ts';
import {
  createRegistry,
  type RegisteredMachine,
  type Registry,
} from '../../../actors/registry/index.ts';
import type { MachineEvent } from '../../../actors/step/index.ts';
import { type Alphabet, type Answers, CHILD_ERRORS, errorsOfClass } from './arrivals.ts';
import { eventTypesOf, knows, nodesOf } from './chart.ts';
import type { Explorable, ExploreLimit, ExploreOptions } from './options.ts';
import { stateOf } from './point.ts';

export interface Subject {
  readonly machine: RegisteredMachine;
  readonly inputs: readonly unknown[];
  readonly alphabet: Alphabet;
  /** Both grow while the search meets calls whose answers are not known. */
  readonly limits: ReadonlySet<ExploreLimit>;
  readonly notes: readonly string[];
}

/**
 * @throws {TroupeError} what `openTroupe` throws of machines; `invalid_input`, `invalid_event` for what the machine's schemas
 * refuse; `invalid_option` for results that no call can give.
 */
export function subjectOf(explorable: Explorable, options: ExploreOptions): Subject {
  const definition = 'kind' in explorable ? explorable : bare(explorable);
  const others = (options.machines ?? []).filter(({ machine }) => machine !== definition.machine);
  const registry = createRegistry([definition, ...others], options.calls ?? []);
  const machine = registry.machines.get(definition.name);
  if (machine === undefined) throw new Error(`${definition.name} is not registered`);
  return new Preparation(machine, registry, options).subject;
}

function bare(machine: AnyMachineDefinition['machine']): AnyMachineDefinition {
  return defineMachine({ machine, version: 1 });
}

type Code = 'invalid_input' | 'invalid_event' | 'invalid_option';

class Preparation {
  private readonly machine: RegisteredMachine;
  private readonly registry: Registry;
  private readonly options: ExploreOptions;
  private readonly limits = new Set<ExploreLimit>();
  private readonly notes: string[] = [];

  constructor(machine: RegisteredMachine, registry: Registry, options: ExploreOptions) {
    this.machine = machine;
    this.registry = registry;
    this.options = options;
  }

  get subject(): Subject {
    const { machine, limits, notes } = this;
    const { events, inputs, input } = this.options;
    return {
      machine,
      inputs: (inputs ?? [input]).map((each) => this.checkedInput(each)),
      alphabet: { eventsAt: this.eventsAt(events), answersOf: this.answersBySource() },
      limits,
      notes,
    };
  }

  private checkedInput(input: unknown): unknown {
    const { input: schema } = this.machine.schemas;
    const { name } = this.machine;
    const what =
      input === undefined ? `${name} is born without an input, and that` : `The input of ${name}`;
    return this.checked(input, schema, 'invalid_input', what);
  }

  private eventsAt(events: ExploreOptions['events']): Alphabet['eventsAt'] {
    if (typeof events !== 'function') {
      const listed = events?.map((event) => this.checkedEvent(event)) ?? this.derivedEvents();
      return () => listed;
    }
    const known = new Map<string, MachineEvent>();
    return (point) =>
      events(stateOf(point)).map((event) => {
        const text = JSON.stringify(event) ?? '';
        const checked = known.get(text) ?? this.checkedEvent(event);
        known.set(text, checked);
        return checked;
      });
  }

  private checkedEvent(event: MachineEvent): MachineEvent {
    if (typeof event?.type !== 'string' || event.type.startsWith('xstate.')) {
      const why = "each has a type that is a text and does not begin with 'xstate.'";
      throw new TroupeError('invalid_event', `events: ${why}, not ${JSON.stringify(event)}.`);
    }
    this.requireKnownEvent(event.type);
    const { events: schema } = this.machine.schemas;
    return this.checked(event, schema, 'invalid_event', `Event ${event.type}`) as MachineEvent;
  }

  private requireKnownEvent(type: string): void {
    const { steppable, name } = this.machine;
    if (steppable.kind !== 'machine') return;
    if (nodesOf(steppable.machine).some((node) => knows(node, type))) return;
    const known = eventTypesOf(steppable.machine).join(', ') || 'none';
    throw new TroupeError(
      'invalid_event',
      `events: no state of ${name} knows '${type}'. Its events are: ${known}.`,
    );
  }

  /** Without a word about payloads an event goes without; where the schema asks for one it cannot be tried. */
  private derivedEvents(): readonly MachineEvent[] {
    const { steppable, schemas } = this.machine;
    if (steppable.kind !== 'machine') return [];
    return eventTypesOf(steppable.machine).flatMap((type) => {
      const parsed = schemas.events === undefined ? undefined : parseBy(schemas.events, { type });
      if (parsed === undefined) return [{ type }];
      if ('data' in parsed) return [{ ...(parsed.data as object), type }];
      this.limits.add('events');
      this.notes.push(
        `Event ${type} was not tried: without payload it does not fit the machine's schema (${parsed.why}). List it under events.`,
      );
      return [];
    });
  }

  /** What is listed is checked at once. What is not listed matters only where it is ordered. */
  private answersBySource(): Alphabet['answersOf'] {
    const { results = {}, errors = {} } = this.options;
    for (const source of [...Object.keys(results), ...Object.keys(errors)]) {
      this.requireKnownSource(source);
    }
    for (const [source, listed] of Object.entries(errors)) {
      for (const error of listed) this.requireJson(error, 'invalid_option', errorOf(source));
    }
    const listed = Object.entries(results).map(([source, outputs]) => {
      return [source, outputs.map((output) => this.checkedOutput(source, output))] as const;
    });
    const answers = new Map<string, Answers>();
    const outputs = new Map<string, readonly unknown[]>(listed);
    return ({ source }) => {
      const known = answers.get(source) ?? {
        outputs: outputs.get(source) ?? this.usualOutputs(source),
        errors: errors[source] ?? this.usualErrors(source),
      };
      answers.set(source, known);
      return known;
    };
  }

  private requireKnownSource(source: string): void {
    const { sources, name } = this.machine;
    if (sources.has(source)) return;
    const known = [...sources.keys()].join(', ') || 'none';
    throw new TroupeError(
      'invalid_option',
      `'${source}' is no call or child of ${name}: its sources are ${known}. Mend the name in results or errors.`,
    );
  }

  private usualErrors(source: string): readonly unknown[] {
    const call = this.machine.calls.get(source);
    return call === undefined ? CHILD_ERRORS : errorsOfClass(call.class);
  }

  private usualOutputs(source: string): readonly unknown[] {
    const schema = this.outputSchema(source);
    const parsed = schema === undefined ? undefined : parseBy(schema, undefined);
    if (parsed === undefined || 'data' in parsed) return [undefined];
    this.limits.add('results');
    this.notes.push(
      `${source} never answered: what its output schema takes is not known (${parsed.why}). List answers under results: { ${JSON.stringify(source)}: […] }.`,
    );
    return [];
  }

  private checkedOutput(source: string, output: unknown): unknown {
    const what = `An answer of '${source}' in results`;
    return this.checked(output, this.outputSchema(source), 'invalid_option', what);
  }

  private outputSchema(source: string): RegisteredMachine['schemas']['output'] {
    const kind = this.machine.sources.get(source);
    if (kind?.kind === 'actor') return this.registry.machines.get(kind.machine)?.schemas.output;
    const runs = this.machine.calls.get(source)?.runs;
    return runs?.on === 'thread' ? runs.call.output : undefined;
  }

  /** @returns what the schema makes of it: that is what would be stored. */
  private checked(
    value: unknown,
    schema: RegisteredMachine['schemas']['input'],
    code: Code,
    what: string,
  ): unknown {
    const parsed = schema === undefined ? { data: value } : parseBy(schema, value);
    if ('why' in parsed)
      throw new TroupeError(code, `${what} does not fit its schema: ${parsed.why}.`);
    this.requireJson(parsed.data, code, what);
    return parsed.data;
  }

  private requireJson(value: unknown, code: Code, what: string): void {
    const finding = inspectJson(value);
    if (finding.ok) return;
    throw new TroupeError(code, `${what} is no JSON: ${explainFinding(finding, 'it')}.`);
  }
}

function errorOf(source: string): string {
  return `An error of '${source}' in errors`;
}
