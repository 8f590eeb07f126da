// Main: what `npm start` runs. It archives a folder, shows how far it is, and lets a person decide about the originals.
//
// Kill it whenever you like: started again with --resume it goes on where it was.

import { parseArgs } from 'node:util';
import { openTroupe, type Troupe } from '../../hosts/embedded/index.ts';
import { decide } from './decide.ts';
import { archive, archiveFile } from './index.ts';
import { type Place, placeOf } from './place.ts';
import { reportLines } from './progress.ts';
import { quote } from './quote.ts';
import type { ArchiveContext, ArchiveReport } from './schemas.ts';
import { View } from './view.ts';

const USAGE = `npm start                    archives samples in a new temporary folder
npm start -- FOLDER          archives FOLDER into FOLDER-archive, and asks before it deletes anything
npm start -- --resume DIR    goes on with what was begun in DIR`;

const EXIT_INTERRUPTED = 130;

/** Signals within this time are one: npm passes on what the terminal has sent already. Milliseconds. */
const SAME_SIGNAL_MS = 500;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { resume: { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help || positionals.length > 1) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const place = await placeOf({ folder: positionals[0], resume: values.resume });
  const stop = stopOnSignal();
  const troupe = await openTroupe({ store: place.store, machines: [archive, archiveFile] });
  try {
    const address = await begin(troupe, place);
    const isOver = await follow(troupe, address, place, stop);
    return isOver ? await finish(troupe, address, place) : EXIT_INTERRUPTED;
  } finally {
    await troupe.close();
    if (stop.aborted)
      console.log(`\nStopped. It goes on with: npm start -- --resume ${quote(place.base)}`);
  }
}

/** Spawning is idempotent: an archive of this id and input that is there already goes on. */
async function begin(troupe: Troupe, { id, input, base }: Place): Promise<string> {
  const { address, isNew } = await troupe.spawn(archive, { id, input });
  console.log(`${isNew ? 'Archiving' : 'Going on with'} ${input.folder} as ${address}`);
  console.log(`Kill this at any moment, even with kill -9 ${process.pid}, and go on with:`);
  console.log(`  npm start -- --resume ${quote(base)}\n`);
  return address;
}

/** Shows each change until the archive has ended. @returns false when a signal came first. */
async function follow(
  troupe: Troupe,
  address: string,
  place: Place,
  stop: AbortSignal,
): Promise<boolean> {
  const view = new View();
  const failed = new AbortController();
  const decided = new AbortController();
  let isAsked = false;
  const look = async (): Promise<boolean> => {
    const { context, state, status, stuck } = await troupe.get(address);
    if (stuck !== undefined) throw new Error(`${address} is stuck: ${stuck.message}`);
    if (isAsked && state !== 'deciding') decided.abort();
    if (context !== undefined) view.show(context as ArchiveContext, state);
    if (state !== 'deciding' || isAsked) return status !== 'active';
    isAsked = true;
    view.leave();
    const signal = AbortSignal.any([stop, decided.signal]);
    const files = (context as ArchiveContext).done;
    decide({ troupe, address, place, files, signal }).catch((error) => failed.abort(error));
    return false;
  };
  // The watch begins before the first look, so that no change falls between the two.
  const changes = troupe.watch(address, { signal: AbortSignal.any([stop, failed.signal]) });
  let isOver = await look();
  for await (const _change of changes) isOver = await look();
  failed.signal.throwIfAborted();
  return isOver;
}

async function finish(troupe: Troupe, address: string, place: Place): Promise<number> {
  const { output, status, error } = await troupe.get(address);
  if (status !== 'done') {
    console.log(`${address} has ended as ${status}: ${JSON.stringify(error)}`);
    return 1;
  }
  const report = output as ArchiveReport;
  console.log(`\n${reportLines(report, place.input.target).join('\n')}`);
  console.log(lookFurther(quote(address), quote(place.store)));
  return report.failed > 0 || report.reason !== undefined ? 1 : 0;
}

function lookFurther(address: string, store: string): string {
  return `
Look at what happened:
  npx troupe ls --store ${store}
  npx troupe show ${address} --store ${store}
  npx troupe journal ${address} --store ${store}
  sqlite3 ${store} 'select seq, actor, revision, event, state from journal'`;
}

/** The first signal asks for a clean end, a second one ends the process at once. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      firstAtMs ??= performance.now();
      controller.abort();
      if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
    });
  }
  return controller.signal;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
