// Cli: what every command has: the global options, the output, the configuration and the store.

import { existsSync } from 'node:fs';
import { openTroupe, type Troupe } from '../embedded/index.ts';
import { type Config, loadConfig } from './config.ts';
import { failureOf, UsageError } from './errors.ts';
import type { Definitions } from './load-module.ts';
import { Output, type OutputOptions } from './output.ts';

export interface GlobalOptions extends Partial<OutputOptions> {
  readonly store?: string;
  readonly config?: string;
}

const DEFAULT_STORE = './troupe.db';

/** What the machines of a configuration may be refused for. */
const OF_CONFIG: ReadonlySet<string> = new Set([
  'machine_refused',
  'invalid_definition',
  'call_conflict',
]);

export class Cli {
  readonly output: Output;
  private readonly options: GlobalOptions;
  private loaded: Promise<Config> | undefined;

  constructor(options: GlobalOptions) {
    this.options = options;
    const { json = false, quiet = false, verbose = false } = options;
    this.output = new Output({ json, quiet, verbose });
    if (options.config !== undefined && !existsSync(options.config)) {
      throw new UsageError(`there is no configuration ${options.config}`);
    }
  }

  config(): Promise<Config> {
    this.loaded ??= loadConfig(this.options.config);
    return this.loaded;
  }

  /** `--store`, else the configuration's, else ./troupe.db. */
  async store(): Promise<string> {
    return this.options.store ?? (await this.config()).store ?? DEFAULT_STORE;
  }

  /** What the configuration knows of machines, for commands that also do without: a broken one is said, not fatal. */
  async knownMachines(): Promise<Definitions['machines']> {
    return (await this.knownDefinitions()).machines;
  }

  private async knownDefinitions(): Promise<Definitions> {
    try {
      return await this.config();
    } catch (error) {
      this.withoutConfig(error);
      return { machines: [], calls: [] };
    }
  }

  /** A configuration that was named must be right; one that happens to be there is only said to be wrong. */
  private withoutConfig(error: unknown): void {
    if (this.options.config !== undefined) throw error;
    this.output.notice(`${failureOf(error)?.message ?? ''} Going on without it.`);
  }

  /** Opens the store for reading only, beside whoever steps it, for the time of some work. */
  async reading<T>(work: (troupe: Troupe) => Promise<T>): Promise<T> {
    return closing(await openTroupe({ store: await this.store(), readonly: true }), work);
  }

  /** The same with the configuration's machines, to look at the past of their actors. */
  async replaying<T>(work: (troupe: Troupe) => Promise<T>): Promise<T> {
    return closing(await this.knowing({ readonly: true }), work);
  }

  /** Opens the store with the configuration's machines for an intervention that needs them, and steps nothing. */
  async intervening<T>(work: (troupe: Troupe) => Promise<T>): Promise<T> {
    return closing(await this.knowing({ readonly: false }), work);
  }

  /** Reading with the configuration's machines, which tell what has no host here (G3). */
  async readingWithCode<T>(work: (troupe: Troupe) => Promise<T>): Promise<T> {
    const { machines, calls } = await this.knownDefinitions();
    const shared = { store: await this.store(), readonly: true, host: false };
    const troupe = await openTroupe({ ...shared, machines, calls }).catch((error: unknown) => {
      if (!OF_CONFIG.has(failureOf(error)?.code ?? '')) throw error;
      this.withoutConfig(error);
      return openTroupe(shared);
    });
    return closing(troupe, work);
  }

  /** Opens the store for sending, beside whoever steps it, for the time of some work. */
  async sending<T>(work: (troupe: Troupe) => Promise<T>): Promise<T> {
    return closing(await openTroupe({ store: await this.store() }), work);
  }

  private async knowing({ readonly }: { readonly readonly: boolean }): Promise<Troupe> {
    const { machines, calls } = await this.config();
    return openTroupe({ store: await this.store(), machines, calls, readonly, host: false });
  }
}

async function closing<T>(troupe: Troupe, work: (troupe: Troupe) => Promise<T>): Promise<T> {
  try {
    return await work(troupe);
  } finally {
    await troupe.close();
  }
}
