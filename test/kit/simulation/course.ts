// Course: what comes from outside while a simulation runs: requests, changes of the clock, signals to the hosts.

import type { Client, Request } from './client.ts';
import type { FaultPlan } from './faults.ts';
import type { Operator } from './operator.ts';
import type { HostProcess } from './process.ts';
import type { Processes } from './processes.ts';
import type { Random } from './random.ts';
import type { Requests } from './requests.ts';
import type { Timeline } from './timeline.ts';

/** Pause between two actions. Milliseconds. */
const PAUSE_MS = [0, 4_000] as const;

/** Part of the answers of calls before which, at the same moment, their actor is sent something: it may have moved on. */
const MEETINGS = 0.2;

/** Part of the actions that ask again for what is known, and of those that ask for several things at once. */
const REPETITIONS = 0.1;
const BURSTS = 0.1;

/** Part of the actions before which an operator looks at what is wrong. */
const LOOKS = 0.4;

/** Requests that come at the same moment, at most. */
const BURST_MAX = 4;

/** How far the wall clock is changed at most. Milliseconds. */
const JUMP_MS = 120_000;

interface CourseParts {
  readonly timeline: Timeline;
  readonly faults: FaultPlan;
  readonly random: Random;
  readonly client: Client;
  readonly operator: Operator;
  readonly requests: Requests;
  readonly processes: Processes;
}

export class Course {
  /** When something was last asked for. Milliseconds that had passed. */
  askedMs = 0;
  private readonly parts: CourseParts;
  private asked: HostProcess | undefined;

  constructor(parts: CourseParts) {
    this.parts = parts;
  }

  /** One action, and so on until nothing goes wrong any more. */
  goOn(): void {
    const { timeline, faults, random } = this.parts;
    if (faults.isOver) return;
    timeline.after(random.whole(...PAUSE_MS), () => {
      if (faults.isOver) return;
      this.disturb();
      this.request();
      this.goOn();
    });
  }

  /** An answer of a call is about to come in: its actor may be sent something at that very moment. */
  meet(callId: string): void {
    const { faults, random, requests } = this.parts;
    if (faults.isOver || !random.chance(MEETINGS)) return;
    this.ask(requests.send(callId.slice(0, callId.indexOf('#'))));
  }

  /** Other hosts can be asked now. */
  reconnect(): void {
    const { client, processes } = this.parts;
    const { serving } = processes;
    client.hearOnly(processes.troupes);
    if (this.asked !== undefined && serving.includes(this.asked)) return;
    this.asked = serving[0];
    if (this.asked?.troupe === undefined) client.disconnect();
    else client.connect(this.asked.troupe);
  }

  /** What is not known is asked again and again, up to a time. Milliseconds that have passed. */
  retryUntil(untilMs: number): void {
    const { timeline, client } = this.parts;
    client.retry();
    if (timeline.passedMs >= untilMs) return;
    timeline.after(PAUSE_MS[1], () => this.retryUntil(untilMs));
  }

  private disturb(): void {
    const { timeline, faults, random, processes } = this.parts;
    if (faults.happens('clockJump', 'wall clock')) {
      timeline.jump(random.whole(-JUMP_MS, JUMP_MS));
    }
    if (faults.happens('shutdown', 'process')) processes.pick()?.close();
    if (faults.happens('suspended', 'process')) processes.suspend();
  }

  private request(): void {
    const { client, operator, random, requests } = this.parts;
    this.turn();
    if (this.asked !== undefined && random.chance(LOOKS)) operator.look(this.asked);
    client.retry();
    if (random.chance(REPETITIONS)) return client.askAgain();
    const count = random.chance(BURSTS) ? random.whole(2, BURST_MAX) : 1;
    for (let index = 0; index < count; index++) this.ask(requests.next());
  }

  /** To any of the hosts. */
  private turn(): void {
    const { client, processes } = this.parts;
    const process = processes.pick();
    if (process?.troupe === undefined || process === this.asked) return;
    this.asked = process;
    client.connect(process.troupe);
  }

  private ask(request: Request | undefined): void {
    if (request === undefined) return;
    this.askedMs = this.parts.timeline.passedMs;
    this.parts.client.ask(request);
  }
}
