// Seeds: runs one seed of a simulation after the other, and tells what they come to.

import type { SimulationReport } from '../../test/kit/index.ts';
import type { Cli, GlobalOptions } from './cli.ts';
import { failureOf } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { findingLines, progressLine, type Tally, tallyLine } from './format/simulation.ts';
import { Progress } from './progress.ts';
import { commandLine } from './shell.ts';

/** Pause between two looks at how far it is. Milliseconds. */
const LOOK_MS = 1_000;

export interface SeedsOptions extends GlobalOptions {
  /** The first one. */
  readonly seed: number;
  /** How long new ones are begun; undefined: one is run. */
  readonly minutes?: number;
  readonly steps?: number;
  readonly hosts?: number;
  readonly files?: boolean;
}

export class Seeds {
  private readonly cli: Cli;
  private readonly options: SeedsOptions;
  private readonly progress: Progress;
  private readonly startMs = performance.now();
  private readonly looking: NodeJS.Timeout;
  /** Each kind of note once, as it was said first: the numbers in it differ from seed to seed. */
  private readonly notes = new Map<string, string>();
  private tally: Tally = { seeds: 0, steps: 0, faults: 0, restless: 0, seconds: 0 };
  private seed: number;

  constructor(cli: Cli, options: SeedsOptions) {
    this.cli = cli;
    this.options = options;
    this.seed = options.seed;
    this.progress = new Progress(cli.output);
    this.looking = setInterval(() => this.tellProgress(), LOOK_MS);
  }

  async run(runSeed: (seed: number) => Promise<SimulationReport>): Promise<ExitCode> {
    const untilMs = this.startMs + (this.options.minutes ?? 0) * 60_000;
    for (; ; this.seed++) {
      const report = await runSeed(this.seed);
      this.add(report);
      if (report.findings.length > 0) return this.tellFindings(report);
      if (performance.now() >= untilMs) return this.tellSummary(EXIT.ok);
      this.tellProgress();
    }
  }

  end(): void {
    clearInterval(this.looking);
  }

  tellInterrupted(): ExitCode {
    const code = this.tellSummary(EXIT.interrupted);
    this.cli.output.notice(`Interrupted in seed ${this.seed}, which is not counted.`);
    return code;
  }

  /** Where an option was refused at the first seed, the command as it was given says the same again. */
  tellThrown(error: unknown): void {
    this.progress.end();
    const isRefused = failureOf(error)?.code === 'invalid_option';
    if (!isRefused || this.seed !== this.options.seed) this.tellAgain();
  }

  private add(report: SimulationReport): void {
    const { seeds, steps, faults, restless } = this.tally;
    this.tally = {
      seeds: seeds + 1,
      steps: steps + report.steps,
      faults: faults + report.injected.length,
      restless: restless + (report.isAtRest ? 0 : 1),
      seconds: this.seconds,
    };
    for (const note of report.notes) {
      const kind = note.replaceAll(/\d+/g, '');
      if (!this.notes.has(kind)) this.notes.set(kind, note);
    }
    if (this.cli.output.options.json) this.cli.output.json(summaryOf(report));
  }

  private get seconds(): number {
    return (performance.now() - this.startMs) / 1_000;
  }

  private tellProgress(): void {
    const now = { ...this.tally, seconds: this.seconds };
    this.progress.tell(progressLine(this.seed, now, this.cli.output.frame));
  }

  private tellSummary(code: ExitCode): ExitCode {
    const { output } = this.cli;
    this.progress.end();
    if (!output.options.json) output.line(tallyLine(this.tally));
    for (const note of this.notes.values()) output.notice(note);
    return code;
  }

  private tellFindings(report: SimulationReport): ExitCode {
    const { output } = this.cli;
    this.progress.end();
    if (!output.options.json) output.lines(findingLines(report));
    this.tellAgain();
    return EXIT.finding;
  }

  private tellAgain(): void {
    const { steps, hosts, files, config } = this.options;
    const again = commandLine('troupe simulate', undefined, {
      seed: String(this.seed),
      steps: steps === undefined ? undefined : String(steps),
      hosts: hosts === undefined ? undefined : String(hosts),
      files: files === true ? true : undefined,
      config,
    });
    this.cli.output.notice(`It happens again with: ${again}`);
  }
}

/** What a program wants to know of a run; the ledger would be most of it. */
function summaryOf({ ledger, ...report }: SimulationReport): object {
  return { ...report, ledgerEntries: ledger.length };
}
