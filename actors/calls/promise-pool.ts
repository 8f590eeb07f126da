// Promise pool: promises that machines bring run on the host's own thread (K9, C2).

import { explainFinding, inspectJson } from '../json.ts';
import type { Attempt, AttemptEnd, RunningAttempt, ThrownData } from '../ports.ts';
import type { PromiseCreator } from '../registry/index.ts';
import { messageOf } from '../step/index.ts';

/** Starts a machine's promise. Killing it gives it up: it cannot be ended from outside, and may still answer late. */
export function startPromise(create: PromiseCreator, attempt: Attempt): RunningAttempt {
  const controller = new AbortController();
  const answer = run(create, attempt, controller.signal);
  let giveUp: (end: AttemptEnd) => void = () => {};
  let hasGivenUp = false;
  const givenUp = new Promise<AttemptEnd>((resolve) => {
    giveUp = resolve;
  });
  return {
    end: Promise.race([answer, givenUp]),
    abort: () => controller.abort(),
    kill: () => {
      hasGivenUp = true;
      giveUp({ kind: 'cut', by: 'thread_ended', why: 'the promise was given up' });
    },
    late: answer.then((end) => (hasGivenUp ? end : new Promise<never>(() => {}))),
  };
}

async function run(
  create: PromiseCreator,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  try {
    const self = { id: attempt.callId, sessionId: attempt.callId };
    const system = { get: () => undefined, getAll: () => ({}) };
    const output = await create({
      input: attempt.input,
      signal,
      self,
      system,
      // Nobody can subscribe to a promise: what it emits has no listener.
      emit: () => {},
    });
    const finding = inspectJson(output);
    return finding.ok
      ? { kind: 'answered', output }
      : { kind: 'malformed', why: explainFinding(finding, 'it') };
  } catch (thrown) {
    return { kind: 'threw', error: thrownData(thrown) };
  }
}

/** What was thrown, as data (C6). */
export function thrownData(thrown: unknown): ThrownData {
  const { code, outcome, details } = (
    typeof thrown === 'object' && thrown !== null ? thrown : {}
  ) as { readonly code?: unknown; readonly outcome?: unknown; readonly details?: unknown };
  return {
    code: typeof code === 'string' ? code : 'threw',
    message: messageOf(thrown),
    ...(outcome === 'failed' ? { outcome } : {}),
    ...(details !== undefined && inspectJson(details).ok ? { details } : {}),
  };
}
