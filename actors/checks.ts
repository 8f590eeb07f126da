// Checks: what comes from outside, before anything of it is written (K8, K10).

import { TroupeError } from '../persistence/index.ts';
import { checkEvent } from './engine/admission.ts';
import { parseBy } from './issues.ts';
import { canonicalJson, explainFinding, inspectJson } from './json.ts';
import { EVENT_BYTES_MAX } from './limits.ts';
import type { RegisteredMachine } from './registry/index.ts';
import { bytesOver } from './step/index.ts';

/** Longest id of an actor that is spawned from outside. Characters. */
const ID_CHARACTERS_MAX = 256;

/** @throws {TroupeError} `invalid_address`. */
export function checkId(id: string): string {
  const isPlain = id !== '' && id.length <= ID_CHARACTERS_MAX && !/[\s#]/.test(id);
  // `….child@3` is how Troupe names children.
  if (isPlain && !/\..*@\d+$/.test(id)) return id;
  throw new TroupeError(
    'invalid_address',
    `'${id.slice(0, 100)}' is no id of an actor. It has 1 to ${ID_CHARACTERS_MAX} characters, no white space and no '#', and does not end like a child's ('.name@3').`,
  );
}

/**
 * The event as JSON: what the machine's schema makes of it, where this process knows the machine.
 * @throws {TroupeError} `invalid_event`, `event_too_large`.
 */
export function checkEventOf(machine: RegisteredMachine | undefined, event: unknown): string {
  const text = checkEvent(event);
  if (machine?.schemas.events === undefined) return text;
  const parsed = parseBy(machine.schemas.events, event);
  // What a schema makes of an event is checked like any other.
  if ('data' in parsed) return checkEvent(parsed.data);
  throw new TroupeError(
    'invalid_event',
    `The event does not fit machine '${machine.name}': ${parsed.why}`,
    { details: { machine: machine.name } },
  );
}

/** The input as canonical JSON, so that equal input has equal text. @throws {TroupeError} `invalid_input`. */
export function checkInput(machine: RegisteredMachine, input: unknown): string | undefined {
  const value = parsedInput(machine, input);
  const finding = inspectJson(value);
  if (!finding.ok) {
    throw invalidInput(machine, `${explainFinding(finding, 'input')}. Pass plain JSON.`);
  }
  if (value === undefined) return undefined;
  const text = canonicalJson(value);
  const bytes = bytesOver(text, EVENT_BYTES_MAX);
  if (bytes === undefined) return text;
  throw invalidInput(
    machine,
    `it has ${bytes} bytes; at most ${EVENT_BYTES_MAX} are taken. Put the data into a file and pass its name.`,
  );
}

function parsedInput(machine: RegisteredMachine, input: unknown): unknown {
  if (machine.schemas.input === undefined) return input;
  const parsed = parseBy(machine.schemas.input, input);
  if ('data' in parsed) return parsed.data;
  throw invalidInput(machine, parsed.why);
}

function invalidInput(machine: RegisteredMachine, why: string): TroupeError {
  return new TroupeError(
    'invalid_input',
    `The input does not fit machine '${machine.name}': ${why}`,
    {
      details: { machine: machine.name },
    },
  );
}
