// Typed call: a call with schemas, whose module is written with the types that follow from them.

import { z } from 'zod';
import { defineCall } from '../../../actors/index.ts';

export const typedCall = defineCall({
  name: 'typed',
  module: new URL('../modules/typed.ts', import.meta.url),
  class: 'effect',
  input: z.object({ word: z.string(), times: z.number() }),
  output: z.object({ text: z.string(), attempt: z.number() }),
});
