// Client: the outside that spawns actors and sends them events. It remembers what it was promised, and asks again until it
// knows.

import { type AnyMachineDefinition, type Troupe, TroupeError } from '../../../actors/index.ts';
import type { Random } from './random.ts';

/** One wish from outside. Every send has a message id of its own, so that asking again is safe (M3). */
export type Wish =
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
    };

export interface Asked {
  readonly wish: Wish;
  /** What it was promised; undefined while it does not know. */
  answer: { readonly seq?: number } | { readonly refused: string } | undefined;
  /** Promises that differ from the first one: there must be none. */
  readonly otherAnswers: string[];
}

/** Refusals that say: not now. Asking again is right. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'storage_unavailable',
  'storage_busy',
  'troupe_closed',
  'host_fenced',
]);

export class Client {
  readonly asked: Asked[] = [];
  private readonly random: Random;
  private readonly onRefused: (wish: Wish, code: string) => void;
  private troupe: Troupe | undefined;

  /** @param onRefused Called when a request is refused for good. */
  constructor(random: Random, onRefused: (wish: Wish, code: string) => void) {
    this.random = random;
    this.onRefused = onRefused;
  }

  /** A host serves: what is not known yet is asked again. */
  connect(troupe: Troupe): void {
    this.troupe = troupe;
    for (const asked of this.asked) if (asked.answer === undefined) this.ask(asked);
  }

  disconnect(): void {
    this.troupe = undefined;
  }

  /** Asks for something; now, and after every failure of a host until it knows. */
  want(wish: Wish): void {
    const asked: Asked = { wish, answer: undefined, otherAnswers: [] };
    this.asked.push(asked);
    this.ask(asked);
  }

  /** Asks once more for something that it knows already: the answer must be the same. */
  askAgain(): void {
    const known = this.asked.filter(({ answer }) => answer !== undefined && 'seq' in answer);
    if (known.length > 0) this.ask(this.random.pick(known));
  }

  /** Asks for everything that it does not know. */
  retry(): void {
    for (const asked of this.asked) if (asked.answer === undefined) this.ask(asked);
  }

  private ask(asked: Asked): void {
    const { troupe } = this;
    if (troupe === undefined) return;
    wishOf(troupe, asked.wish).then(
      (answer) => note(asked, answer),
      (error: unknown) => {
        const code = error instanceof TroupeError ? error.code : 'no typed error';
        // What comes from a host that failed is asked again when the next one serves, or by `retry`. A client of a dead
        // process hears nothing at all.
        if (this.troupe !== troupe || NOT_NOW.has(code)) return;
        note(asked, { refused: code });
        this.onRefused(asked.wish, code);
      },
    );
  }
}

async function wishOf(troupe: Troupe, wish: Wish): Promise<{ readonly seq?: number }> {
  if (wish.kind === 'spawn') {
    await troupe.spawn(wish.machine, { id: wish.id, input: wish.input as never });
    return {};
  }
  const { seq } = await troupe.send(wish.address, wish.event, { messageId: wish.messageId });
  return { seq };
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
