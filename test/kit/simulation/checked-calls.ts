// Checked calls: what the outside does, refused where it does what no simulated call can, and noted where Troupe takes none of
// its answers. The author's mistakes must not look like the engine's.

import { TroupeError } from '../../../actors/index.ts';
import { parseBy } from '../../../actors/issues.ts';
import { explainFinding, inspectJson } from '../../../actors/json.ts';
import type { CallSpec, Registry } from '../../../actors/registry/index.ts';
import type { SimulatedCall } from './world.ts';

/** What became of the answers of one call. */
interface Answers {
  fitting: number;
  /** Why its schema does not take the last one that did not fit. */
  why: string | undefined;
}

export class CheckedCalls {
  /** One for each call that a machine may order. */
  readonly calls: Readonly<Record<string, SimulatedCall>>;
  /** Set when a call has done what none can: the simulation ends by it. */
  refusal: TroupeError | undefined;
  private readonly answers = new Map<string, Answers>();

  constructor(calls: Readonly<Record<string, SimulatedCall>>, { machines }: Registry) {
    const specs = [...machines.values()].flatMap((machine) => [...machine.calls.values()]);
    this.calls = Object.fromEntries(
      specs.map((spec) => [spec.key, this.checked(spec, calls[spec.key] ?? (() => undefined))]),
    );
  }

  /** Of each call that has never answered what its schema takes. */
  get notes(): string[] {
    return [...this.answers].flatMap(([name, { fitting, why }]) =>
      fitting > 0 || why === undefined
        ? []
        : [
            `Every answer of ${name} was refused by its schema (${why}). What it answers is said in world.calls: { '${name}': … }.`,
          ],
    );
  }

  private checked({ key, runs }: CallSpec, call: SimulatedCall): SimulatedCall {
    const schema = runs.on === 'thread' ? runs.call.output : undefined;
    const answers: Answers = { fitting: 0, why: undefined };
    this.answers.set(key, answers);
    return (input, outside) => {
      const output = call(input, outside);
      const why = whyNot(output);
      if (why !== undefined) {
        this.refusal ??= new TroupeError('invalid_option', `world.calls.${key}: ${why}`);
        return undefined;
      }
      const parsed = schema === undefined ? { data: output } : parseBy(schema, output);
      if ('why' in parsed) answers.why = parsed.why;
      else answers.fitting++;
      return output;
    };
  }
}

function whyNot(output: unknown): string | undefined {
  if (isThenable(output)) {
    return 'it answers with a promise. Simulated time does not wait for one: answer at once, without async.';
  }
  const finding = inspectJson(output);
  return finding.ok ? undefined : `its answer is no JSON: ${explainFinding(finding, 'it')}.`;
}

function isThenable(output: unknown): boolean {
  return typeof (output as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
