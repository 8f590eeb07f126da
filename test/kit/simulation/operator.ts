// Operator: a person who looks after stuck actors and after messages that had nowhere to go (J5). They act on what they saw,
// which may be old by then, and ask only once: when the host fails meanwhile, they do not know what became of it.

import { type Troupe, TroupeError } from '../../../actors/index.ts';
import type { Random } from './random.ts';

/** What an operator asked for, and what they were told. */
export interface AskedIntervention {
  readonly action: 'retry' | 'skip' | 'stop' | 'redeliver';
  readonly address: string;
  /** A name of its own for each: whose row it is in the journal. */
  readonly by: string;
  /** The revision that was seen. */
  readonly revision: number;
  /** Undefined while nobody knows: its host failed. */
  answer: 'done' | { readonly refused: string } | undefined;
}

/** Part of the interventions that two operators want at the same moment. */
const DOUBLED = 0.2;

/** What is done about a stuck actor: a retry is harmless, and may park it again. */
const RETRIES = 0.4;
const SKIPS = 0.9;

/** Part of the looks at stuck actors; the others are at messages that had nowhere to go. */
const STUCK = 0.5;

/** Part of the redeliveries that are of what an operator has put aside, when there is such a thing. */
const ASIDE = 0.9;

/** A host as an operator has it before them. */
interface OperatedHost {
  readonly troupe: Troupe | undefined;
  readonly isDead: boolean;
}

export class Operator {
  readonly asked: AskedIntervention[] = [];
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** Looks through a host, and does something about what is there. One that fails or leaves shows nothing. */
  look(host: OperatedHost): void {
    const look = this.random.chance(STUCK) ? this.mend(host) : this.redeliver(host);
    look.catch((error: unknown) => refusalOf(host, error));
  }

  private async mend(host: OperatedHost): Promise<void> {
    const { troupe } = host;
    const stuck = await troupe?.stuck();
    if (troupe === undefined || stuck === undefined || stuck.length === 0) return;
    const { address, revision } = this.random.pick(stuck);
    const draw = this.random.whole(0, 99) / 100;
    const action = draw < RETRIES ? 'retry' : draw < SKIPS ? 'skip' : 'stop';
    this.ask(host, { action, address, revision }, (facts) => troupe[action](address, facts));
  }

  private async redeliver(host: OperatedHost): Promise<void> {
    const { troupe } = host;
    const kept = await troupe?.undeliverable();
    if (troupe === undefined || kept === undefined || kept.length === 0) return;
    // What somebody put aside can be taken by now; who has ended takes nothing any more.
    const aside = kept.filter(({ reason }) => reason === 'skipped');
    const isAside = aside.length > 0 && this.random.chance(ASIDE);
    const { seq, address } = this.random.pick(isAside ? aside : kept);
    const { revision } = await troupe.get(address);
    this.ask(host, { action: 'redeliver', address, revision }, (facts) =>
      troupe.redeliver(seq, facts),
    );
  }

  private ask(
    host: OperatedHost,
    wanted: Pick<AskedIntervention, 'action' | 'address' | 'revision'>,
    intervene: (facts: Facts) => Promise<unknown>,
  ): void {
    const times = this.random.chance(DOUBLED) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const by = `operator ${this.asked.length + 1}`;
      const asked: AskedIntervention = { ...wanted, by, answer: undefined };
      this.asked.push(asked);
      void intervene({ by, reason: wanted.action, revision: wanted.revision }).then(
        () => {
          asked.answer = 'done';
        },
        (error: unknown) => {
          asked.answer = refusalOf(host, error);
        },
      );
    }
  }
}

interface Facts {
  readonly by: string;
  readonly reason: string;
  readonly revision: number;
}

/** Failures of a host or of its storage after which nobody knows whether it was done. */
const UNCERTAIN: ReadonlySet<string> = new Set([
  'storage_unavailable',
  'storage_busy',
  'troupe_closed',
  'host_fenced',
]);

/** Of a dead process nothing is heard. @throws what no caller of Troupe can expect. */
function refusalOf(host: OperatedHost, error: unknown): AskedIntervention['answer'] {
  if (host.isDead) return undefined;
  if (!(error instanceof TroupeError)) throw error;
  return UNCERTAIN.has(error.code) ? undefined : { refused: error.code };
}
