// Placeholder: what stands in a machine for a call until a host registers one of that name.

import { fromPromise, type PromiseActorLogic } from 'xstate';
import type { z } from 'zod';

/** Promise logic with the types of a call. Run as it is, it only says what is missing. */
export function placeholder<TInput extends z.ZodType, TOutput extends z.ZodType>(
  _input: TInput,
  _output: TOutput,
): PromiseActorLogic<z.output<TOutput>, z.output<TInput>> {
  return fromPromise(() =>
    Promise.reject(new Error('No call of this name is registered. Provide one, or define it.')),
  );
}
