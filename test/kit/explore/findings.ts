// Findings: what each of them means and what to do about it; of one kind at one place the first, which is the shortest.

import type { Step, StepError } from '../../../actors/step/index.ts';
import type { ExploreFinding, ExploreOptions, FindingKind } from './options.ts';
import { type Path, pathBeyond, pathTo } from './path.ts';
import type { Arrival, Gone, Point, Timer } from './point.ts';
import { stimulusText } from './stimulus.ts';

/** Of a birth that failed. In code and in the events file its word is the same. */
export const BARE =
  'It was born without an input: where the machine needs one, give it as "input".';

export class Findings {
  private readonly found = new Map<string, ExploreFinding>();
  private readonly address: string;
  private readonly accepts: readonly FindingKind[];

  constructor(address: string, { accepts = [] }: ExploreOptions) {
    this.address = address;
    this.accepts = accepts;
  }

  get all(): readonly ExploreFinding[] {
    return [...this.found.values()].filter(({ kind }) => !this.accepts.includes(kind));
  }

  /** Of each accepted kind how many were found. */
  get accepted(): readonly string[] {
    const found = [...this.found.values()];
    return this.accepts.flatMap((accepted) => {
      const count = found.filter(({ kind }) => kind === accepted).length;
      return count === 0 ? [] : [`${count} of kind ${accepted} accepted, as was told.`];
    });
  }

  invariant(point: Point, name: string, verdict: false | string): void {
    const why = verdict === false || verdict === '' ? '' : `: ${verdict}`;
    const message = `Invariant '${name}' does not hold${why}.`;
    this.add('invariant', name, point, message);
  }

  threw(from: Point | undefined, arrival: Arrival, error: StepError): void {
    const { stimulus } = arrival;
    const isBare = stimulus.kind === 'birth' && stimulus.input === undefined;
    const message = `The step fails and the actor is stuck from then on: ${error.message} (${error.code})${isBare ? `. ${BARE}` : ''}`;
    const place = `${error.code} ${arrival.delivery.event.type}`;
    const path = () => pathBeyond(from, arrival, this.address, error);
    this.put('threw', place, message, from, path);
  }

  /** Only a look at what was written tells: the step itself was well. */
  misfit(point: Point, code: string, why: string): void {
    this.add('threw', code, point, `${why} (${code})`);
  }

  restoreDiffers(from: Point | undefined, arrival: Arrival, difference: string): void {
    const message = `The same step is another one after a restart: ${difference}. Machine code must keep everything in the context, share no object between two of its parts, and depend on nothing outside of it.`;
    const path = () => pathBeyond(from, arrival, this.address);
    this.put('restore_differs', arrival.delivery.event.type, message, from, path);
  }

  deadEnd(point: Point): void {
    const message =
      'The actor has not ended and nothing can move it any more: no state that it is in takes an event from outside, and no timer that they know, call or child is left. Make the state final, or give it a way on.';
    this.add('dead_end', '', point, message);
  }

  strayTimer(from: Point, point: Point, { id, hasId, event }: Timer): void {
    const remedy = hasId
      ? `Cancel it in the exit of that state: exit: cancel('${id}').`
      : 'Give it an id and cancel that in the exit of that state: exit: cancel(id).';
    const message = `Timer '${id}' fires where no state knows its event '${event.type}': it was armed by a state that was left, and never cancelled. ${remedy}`;
    const path = () => pathTo(point);
    this.put('stray_timer', id, message, from, path, { isOncePerPlace: true });
  }

  unhandledError(from: Point | undefined, point: Point, id: string, source: string): void {
    const message = `The actor ends with an error, because nothing takes what ${source} '${id}' fails with. Add onError to its invoke, or take 'xstate.error.actor.${id}' where it may come.`;
    this.put('unhandled_error', id, message, from, () => pathTo(point));
  }

  lateMoved(point: Point, { text, event, origin }: Gone, step: Step): void {
    const arrival: Arrival = {
      stimulus: { kind: 'late', of: text, event },
      delivery: { event, origin, atMs: point.atMs },
    };
    const message = `What came too late has moved the actor to ${step.state}: ${stimulusText(arrival.stimulus)}. That is a bug of Troupe; please report it with this path.`;
    const path = () => pathBeyond(point, arrival, this.address);
    this.put('late_moved', text, message, point, path);
  }

  private add(kind: FindingKind, place: string, point: Point, message: string): void {
    this.put(kind, place, message, point, () => pathTo(point));
  }

  /** @param isOncePerPlace Whether the place alone counts, in whatever state it was found. */
  private put(
    kind: FindingKind,
    place: string,
    message: string,
    at: Point | undefined,
    path: () => Path,
    { isOncePerPlace = false } = {},
  ): void {
    const state = at?.snapshot.value ?? null;
    const key = JSON.stringify([kind, place, isOncePerPlace ? '' : state]);
    if (!this.found.has(key)) this.found.set(key, { kind, message, state, path: path() });
  }
}
