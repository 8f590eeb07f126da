// Host: a process of dist that opens a store and does what its parent asks over IPC.

import { closeSync, copyFileSync, openSync, readFileSync } from 'node:fs';
import { openTroupe } from '../../../dist/hosts/embedded/index.js';
import { calls, machines } from './machines.mjs';

/** @typedef {import('../../../hosts/embedded/index.ts').Troupe} Troupe */
/** @typedef {import('./hosts.ts').Opening} Opening */

/** @type {Troupe | undefined} */
let troupe;
/** @type {string | undefined} */
let fatal;
/** A boundary at which this process suspends itself once. @type {string | undefined} */
let stopAt;

/** @param {Opening} opening */
function open({ store, as = 'host', killAt, graceMs }) {
  let passed = 0;
  const boundary = (/** @type {string} */ at) => {
    if (at === killAt?.boundary && ++passed === killAt.count) process.kill(process.pid, 'SIGKILL');
    if (at !== stopAt) return;
    stopAt = undefined;
    process.kill(process.pid, 'SIGSTOP');
  };
  return openTroupe({
    store,
    ...(as === 'host' ? { machines, calls, boundary } : {}),
    ...(as === 'readonly' ? { readonly: true } : {}),
    ...(graceMs === undefined ? {} : { graceMs }),
    onFatal: (error) => {
      fatal = codeOf(error);
    },
  });
}

function opened() {
  if (troupe === undefined) throw new Error('nothing is open');
  return troupe;
}

/** What keeps a host at full load: a send in flight to each of some actors. @type {Set<string>} */
const loaded = new Set();
/** @type {Promise<unknown>} */
let loads = Promise.resolve();

/** @param {string[]} addresses */
function load(addresses) {
  for (const address of addresses) loaded.add(address);
  loads = Promise.all(
    addresses.map(async (address) => {
      while (loaded.has(address)) await opened().send(address, { type: 'COUNT' });
    }),
  );
  // Who asks for its end hears of it.
  loads.catch(() => {});
}

/** What a careless library does with a file of this process, by name. @type {Record<string, (file: string) => void>} */
const strays = {
  'openSync and closeSync': (file) => closeSync(openSync(file, 'r+')),
  readFileSync: (file) => {
    readFileSync(file);
  },
  copyFileSync: (file) => copyFileSync(file, `${file}.stray`),
};

/** @type {Record<string, (...args: any[]) => unknown>} */
const methods = {
  open: async (opening) => {
    troupe = await open(opening);
    return troupe.store;
  },
  spawn: async (name, id, input) => {
    const definition = machines.find((machine) => machine.name === name);
    if (definition === undefined) throw new Error(`no machine '${name}'`);
    return (await opened().spawn(definition, { id, input })).address;
  },
  send: (address, event, messageId) =>
    opened().send(address, event, messageId === undefined ? {} : { messageId }),
  get: (address) => opened().get(address),
  close: () => opened().close(),
  fatal: () => fatal,
  load,
  unload: () => {
    loaded.clear();
    return loads.then(() => {});
  },
  stopAt: (boundary) => {
    stopAt = boundary;
  },
  stray: (name, file) => strays[name]?.(file),
  forget: () => {
    troupe = undefined;
  },
  collectGarbage: () => globalThis.gc?.(),
  chdir: (folder) => process.chdir(folder),
};

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {{ code?: string }} */ (error).code ?? 'threw';
}

/** @param {import('../../supervision/support/program.ts').Request} request */
async function answer({ id, method, args }) {
  try {
    const run = methods[method];
    if (run === undefined) throw new Error(`no method '${method}'`);
    return { id, result: await run(...args) };
  } catch (error) {
    const { message, outcome } = /** @type {Error & { outcome?: string }} */ (error);
    return { id, error: { code: codeOf(error), message, outcome } };
  }
}

process.on(
  'message',
  (/** @type {import('../../supervision/support/program.ts').Request} */ request) => {
    void answer(request).then((reply) => process.send?.(reply));
  },
);

// Whoever asked is gone.
process.on('disconnect', () => process.exit());
