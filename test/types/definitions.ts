// What must not compile: calls that do not fit the machine's actor of their name, events and inputs of another machine.
// `npm run types` reads this file; test/types/definitions.test.ts shows that each expectation is needed.

import { fromPromise, setup } from 'xstate';
import { z } from 'zod';
import {
  defineCall,
  defineMachine,
  type Migration,
  type Troupe,
} from '../../hosts/embedded/index.ts';

const machine = setup({
  types: {
    input: {} as { folder: string },
    context: {} as { folder: string },
    events: {} as { type: 'APPROVE' } | { type: 'KEEP'; reason: string },
  },
  actors: {
    hashFile: fromPromise<{ sha256: string }, { file: string }>(() =>
      Promise.reject(new Error('replaced')),
    ),
  },
}).createMachine({ id: 'typed', context: ({ input }) => ({ folder: input.folder }) });

const module = new URL('./nothing.ts', import.meta.url);
const file = z.object({ file: z.string() });
const sha256 = z.object({ sha256: z.string() });

const fits = defineCall({ name: 'hashFile', module, class: 'read', input: file, output: sha256 });
const otherInput = defineCall({
  name: 'hashFile',
  module,
  class: 'read',
  input: z.object({ path: z.string() }),
  output: sha256,
});
const otherOutput = defineCall({
  name: 'hashFile',
  module,
  class: 'read',
  input: file,
  output: z.object({ sha256: z.number() }),
});
const otherName = defineCall({
  name: 'packFile',
  module,
  class: 'read',
  input: file,
  output: sha256,
});

const typed = defineMachine({ machine, version: 1, calls: [fits] });
// @ts-expect-error the machine gives { file }, and the call wants { path }
defineMachine({ machine, version: 1, calls: [otherInput] });
// @ts-expect-error the machine takes a text, and the call gives a number
defineMachine({ machine, version: 1, calls: [otherOutput] });
// @ts-expect-error the machine has no actor of that name
defineMachine({ machine, version: 1, calls: [otherName] });
// @ts-expect-error a schema of another input
defineMachine({ machine, version: 1, schemas: { input: z.object({ folder: z.number() }) } });
defineMachine({
  machine,
  version: 2,
  migrations: { 1: (stored) => ({ ...stored, context: { ...stored.context, folder: 'photos' } }) },
});
// @ts-expect-error a migration gives the whole actor back
export const partial: Migration = (stored) => ({ context: stored.context });
// @ts-expect-error a migration waits for nothing
export const waiting: Migration = async (stored) => stored;
// @ts-expect-error no such class
defineCall({ name: 'hashFile', module, class: 'write', input: file, output: sha256 });

/** Never called: it is here to be compiled. */
export async function uses(troupe: Troupe): Promise<void> {
  const actor = await troupe.spawn(typed, { id: 'photos', input: { folder: 'photos' } });
  // @ts-expect-error another input
  await troupe.spawn(typed, { id: 'photos', input: { folder: 1 } });
  await troupe.send(actor.address, { type: 'APPROVE' });
  // @ts-expect-error no such event
  await troupe.send(actor.address, { type: 'APROVE' });
  // @ts-expect-error the event lacks its reason
  await troupe.send(actor.address, { type: 'KEEP' });
  // An address that is only a text takes any event.
  await troupe.send('typed/photos', { type: 'ANYTHING' });
}
