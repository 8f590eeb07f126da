// Harness: what the tests of the core share. What users of the library may need is in the kit.

import { expect, onTestFinished } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { type AnyMachineDefinition, defineMachine, type Troupe } from '../../actors/index.ts';
import { createRegistry, type RegisteredMachine } from '../../actors/registry/index.ts';
import type { ErrorCode, Store } from '../../persistence/index.ts';
import {
  openTestTroupe,
  type TemporaryStore,
  type TestTroupe,
  type TestTroupeOptions,
  temporaryStore,
} from '../kit/index.ts';

/** Opens a host that the end of the test closes. */
export async function start(options: TestTroupeOptions): Promise<TestTroupe> {
  const test = await openTestTroupe(options);
  onTestFinished(() => test.close());
  return test;
}

/** A place for a store that the end of the test removes. */
export function place(): TemporaryStore {
  const store = temporaryStore();
  onTestFinished(() => store.remove());
  return store;
}

/** A machine of version 1, as most tests need it. */
export function durable(machine: AnyStateMachine): AnyMachineDefinition {
  return defineMachine({ machine, version: 1 });
}

/** A machine as the step takes it. */
export function registered(machine: AnyStateMachine): RegisteredMachine {
  const found = createRegistry([durable(machine)], []).machines.get(machine.id);
  if (found === undefined) throw new Error(`The registry has no machine ${machine.id}`);
  return found;
}

/** An event with properties, for machines that do not declare theirs. */
export function message(type: string, properties: object = {}): { readonly type: string } {
  return { type, ...properties };
}

/** The host's own connection: for faults that only its owner can meet. */
export function storeOf(troupe: Troupe): Store {
  return (troupe as unknown as { readonly parts: { readonly store: Store } }).parts.store;
}

/** Expects a typed error, and that its message tells what to do. @returns it. */
export async function refusal(work: Promise<unknown>, code: ErrorCode): Promise<Error> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'TroupeError', code });
  return error as Error;
}

/** How a test lets its actors live: all of it in one process, or with a restart wherever the test allows one. */
export type Life = (test: TestTroupe) => Promise<unknown>;

/** Both lives must end alike. For `it.each(lives)`. */
export const lives: readonly (readonly [name: string, life: Life])[] = [
  ['in one life', (test) => test.clock.settle()],
  ['over restarts', (test) => test.reopen()],
];
