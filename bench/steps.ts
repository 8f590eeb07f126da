// Steps: the real engine, real sends, synchronous=FULL: each send waits until it is on disk before the actor's next.

import { openTroupe } from '../hosts/embedded/index.ts';
import { definition } from './machine.ts';

/** Sends so many events over so many actors at once. @returns steps per second, all of them committed. */
export async function engineStepsPerSecond(
  file: string,
  actors: number,
  steps: number,
): Promise<number> {
  const troupe = await openTroupe({ store: file, machines: [definition] });
  const spawned = await Promise.all(
    Array.from({ length: actors }, (_, index) => troupe.spawn(definition, { id: String(index) })),
  );
  const each = Math.floor(steps / actors);
  const startedMs = performance.now();
  await Promise.all(
    spawned.map(async ({ address }) => {
      for (let count = 0; count < each; count++) await troupe.send(address, { type: 'NEXT' });
    }),
  );
  await stepped(troupe, each);
  const seconds = (performance.now() - startedMs) / 1_000;
  await troupe.close();
  return (each * actors) / seconds;
}

/** A figure counts only when every step is on disk: a send may be there before its step. */
async function stepped(
  troupe: Awaited<ReturnType<typeof openTroupe>>,
  each: number,
): Promise<void> {
  for (;;) {
    const actors = await troupe.list({ machine: 'bench', limit: 1_000 });
    if (actors.every(({ revision }) => revision === each + 1)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
