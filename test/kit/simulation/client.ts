// Client: who asks from outside. It spawns actors, sends them events and watches some of them; it remembers what it was
// promised and what it saw, and asks again until it knows.

import { type AnyMachineDefinition, type Troupe, TroupeError } from '../../../actors/index.ts';
import type { Random } from './random.ts';

/** One request from outside. Every send has a message id of its own, so that asking again is safe (M3). */
export type Request = {
  /** The refusal that it must get: it contradicts one that was taken. */
  readonly refusal?: 'message_id_conflict' | 'actor_exists';
} & (
  | {
      readonly kind: 'spawn';
      readonly machine: AnyMachineDefinition;
      readonly id: string;
      readonly input: unknown;
    }
  | {
      readonly kind: 'send';
      readonly address: string;
      readonly event: { readonly type: string };
      readonly messageId: string;
    }
);

export interface Asked {
  readonly request: Request;
  /** What it was promised; undefined while it does not know. A spawn has no `seq`. */
  answer: { readonly seq?: number } | { readonly refused: string } | undefined;
  /** Promises that differ from the first one: there must be none. */
  readonly otherAnswers: string[];
  /** How often it was asked for, and by which life of the client's connection it was last. */
  asks: number;
  host: number;
}

/** What was seen of one actor through one host, in order. */
export interface Watched {
  readonly address: string;
  /** `emitted`: the events as a JSON array. */
  readonly changes: { readonly seq: number; readonly emitted: string }[];
}

/** Refusals that say: not now. Asking again is right. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'storage_unavailable',
  'storage_busy',
  'troupe_closed',
  'host_fenced',
]);

/** Part of the actors that are watched, and of the requests that are made twice at once. */
const WATCHED = 0.5;
const DOUBLED = 0.05;

/** Part of what is asked again that is a spawn, and that contradicts what was taken. */
const SPAWNS_AGAIN = 0.4;
const CONTRADICTIONS = 0.3;

export class Client {
  readonly asked: Asked[] = [];
  readonly watched: Watched[] = [];
  private readonly random: Random;
  private readonly onRefused: (request: Request, code: string) => void;
  private readonly addresses: string[] = [];
  private readonly underWay = new Map<Asked, Troupe>();
  private troupe: Troupe | undefined;
  private hosts = 0;
  /** Hosts that it was connected to and that have not ended: what it watches there goes on. */
  private readonly living = new Set<Troupe>();

  /** @param onRefused Called when a request is refused for good. */
  constructor(random: Random, onRefused: (request: Request, code: string) => void) {
    this.random = random;
    this.onRefused = onRefused;
  }

  /** A host serves: what is not known yet is asked again. */
  connect(troupe: Troupe): void {
    this.troupe = troupe;
    this.hosts++;
    if (!this.living.has(troupe)) {
      this.living.add(troupe);
      for (const address of this.addresses) this.watch(troupe, address);
    }
    this.retry();
  }

  /** Of hosts that are none of these nothing is heard any more. */
  hearOnly(troupes: readonly Troupe[]): void {
    for (const troupe of this.living) if (!troupes.includes(troupe)) this.living.delete(troupe);
  }

  disconnect(): void {
    this.troupe = undefined;
  }

  /** Asks for something; now, and after every failure of a host until it knows. */
  ask(request: Request): void {
    const asked: Asked = { request, answer: undefined, otherAnswers: [], asks: 0, host: 0 };
    this.asked.push(asked);
    this.put(asked);
    if (this.random.chance(DOUBLED)) this.put(asked);
  }

  /** Asks once more for something that it knows already: the answer must be the same, and to anything else a refusal. */
  askAgain(): void {
    const kind = this.random.chance(SPAWNS_AGAIN) ? 'spawn' : 'send';
    const known = this.asked.filter(
      ({ request, answer }) =>
        request.kind === kind && answer !== undefined && !('refused' in answer),
    );
    if (known.length === 0) return;
    const asked = this.random.pick(known);
    const contradiction = this.random.chance(CONTRADICTIONS)
      ? contradictionOf(
          asked.request,
          known.map(({ request }) => request),
        )
      : undefined;
    if (contradiction === undefined) this.put(asked);
    else this.ask(contradiction);
  }

  /** Asks for everything that it does not know, and waits for no answer to. */
  retry(): void {
    for (const asked of this.asked) {
      const isUnderWay = this.underWay.get(asked) === this.troupe;
      if (asked.answer === undefined && !isUnderWay) this.put(asked);
    }
  }

  private put(asked: Asked): void {
    const { troupe } = this;
    if (troupe === undefined) return;
    asked.asks++;
    asked.host = this.hosts;
    this.underWay.set(asked, troupe);
    put(troupe, asked.request).then(
      (answer) => {
        this.underWay.delete(asked);
        if (this.troupe === troupe) this.answered(troupe, asked);
        note(asked, answer);
      },
      (error: unknown) => {
        const code = error instanceof TroupeError ? error.code : 'no typed error';
        // What comes from a host that failed is asked again when the next one serves, or by `retry`. A client of a dead
        // process hears nothing at all.
        if (this.troupe !== troupe) return;
        this.underWay.delete(asked);
        if (NOT_NOW.has(code)) return;
        note(asked, { refused: code });
        this.onRefused(asked.request, code);
      },
    );
  }

  private answered(troupe: Troupe, { request, answer }: Asked): void {
    if (request.kind !== 'spawn' || answer !== undefined || !this.random.chance(WATCHED)) return;
    const address = `${request.machine.name}/${request.id}`;
    this.addresses.push(address);
    this.watch(troupe, address);
  }

  private watch(troupe: Troupe, address: string): void {
    const watched: Watched = { address, changes: [] };
    this.watched.push(watched);
    void this.follow(troupe, watched);
  }

  /** A host that fails or leaves ends its watches: nothing is promised of what they would have seen. */
  private async follow(troupe: Troupe, { address, changes }: Watched): Promise<void> {
    try {
      for await (const { seq, emitted } of troupe.watch(address)) {
        if (this.living.has(troupe)) changes.push({ seq, emitted: JSON.stringify(emitted) });
      }
    } catch (error) {
      if (this.living.has(troupe) && !(error instanceof TroupeError)) throw error;
    }
  }
}

async function put(troupe: Troupe, request: Request): Promise<{ readonly seq?: number }> {
  if (request.kind === 'spawn') {
    await troupe.spawn(request.machine, { id: request.id, input: request.input as never });
    return {};
  }
  const { seq } = await troupe.send(request.address, request.event, {
    messageId: request.messageId,
  });
  return { seq };
}

/** The same name for something else that was taken elsewhere; undefined when there is no such thing. */
function contradictionOf(request: Request, known: readonly Request[]): Request | undefined {
  if (request.kind === 'spawn') {
    const { machine, input } = request;
    const other = known.find(
      (each) => each.kind === 'spawn' && each.machine === machine && isOther(each.input, input),
    );
    return other?.kind === 'spawn'
      ? { ...request, input: other.input, refusal: 'actor_exists' }
      : undefined;
  }
  const { address, event } = request;
  const other = known.find(
    (each) => each.kind === 'send' && each.address === address && isOther(each.event, event),
  );
  return other?.kind === 'send'
    ? { ...request, event: other.event, refusal: 'message_id_conflict' }
    : undefined;
}

function isOther(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/** The first promise counts, and it never changes. A refusal is none: what is refused now may be taken later. */
function note(asked: Asked, answer: NonNullable<Asked['answer']>): void {
  if (asked.answer === undefined || 'refused' in asked.answer) {
    asked.answer = answer;
    return;
  }
  const [first, other] = [JSON.stringify(asked.answer), JSON.stringify(answer)];
  if (first !== other) asked.otherAnswers.push(other);
}
