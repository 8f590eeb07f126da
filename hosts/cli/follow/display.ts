// Display: shows what is followed, as a block on a terminal, as lines or JSON elsewhere.

import type { AnyMachineDefinition } from '../../embedded/index.ts';
import { blockLines, moveLine } from '../format/follow.ts';
import type { Output } from '../output.ts';
import type { FollowerEvents } from './follower.ts';
import { FollowModel, type Moved } from './model.ts';

/** The block is drawn again this often, for its times. Milliseconds. */
const DRAW_MS = 200;

export class Display {
  /** What a follower tells. */
  readonly events: FollowerEvents;
  private readonly output: Output;
  private readonly root: string;
  private readonly machines: readonly AnyMachineDefinition[];
  private readonly model = new FollowModel();
  private timer: NodeJS.Timeout | undefined;

  constructor(output: Output, root: string, machines: readonly AnyMachineDefinition[]) {
    this.output = output;
    this.root = root;
    this.machines = machines;
    this.events = this.eventsOf(output);
    if (output.screen !== undefined) this.timer = setInterval(() => this.draw(), DRAW_MS);
  }

  /** Draws what came last and leaves it on the terminal. */
  [Symbol.dispose](): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.draw();
    this.output.screen?.leave();
  }

  private eventsOf({ options }: Output): FollowerEvents {
    return {
      onFound: (actor) => {
        const after = this.model.find(actor);
        if (!options.json) this.move({ before: undefined, after }, actor.updatedAtMs);
      },
      onChange: (change) => {
        if (options.json) this.output.json(change);
        const moved = this.model.take(change);
        if (moved !== undefined) this.move(moved, change.atMs);
        if (change.kind === 'stuck' && change.address !== this.root) this.tellStuck(change.address);
      },
      onEnd: (address, status) => {
        const moved = this.model.end(address, status);
        if (moved !== undefined) this.move(moved, Date.now());
      },
    };
  }

  private move(moved: Moved, atMs: number): void {
    const { options, screen, frame } = this.output;
    if (screen !== undefined || options.json || options.quiet) return;
    this.output.line(moveLine(moved, atMs, frame));
  }

  private tellStuck(address: string): void {
    this.output.notice(`${address} is stuck; the others go on. See: troupe show '${address}'`);
  }

  private draw(): void {
    const { screen, frame } = this.output;
    if (screen === undefined) return;
    const { root, machines, model } = this;
    const block = { root, machines, actors: model.all, rows: screen.rows, nowMs: Date.now() };
    screen.draw(blockLines(block, frame));
  }
}
