// Waiting line: who meets a busy store takes a ticket beside it, and only the first in the line tries; who has committed lets the
// line go first (V5).
//
// SQLite's own busy wait blocks the event loop and is unfair: without this a busy host starves every other for seconds, and a
// sender that has just been served comes before one that has waited long. The line is a courtesy, never a lock: correctness does
// not depend on it.

/** Wait between two tries of a busy store. Milliseconds. */
export const BUSY_RETRY_MS = 1;

/** Longest pause that a committer makes for the line. Milliseconds. */
export const COURTESY_MS_MAX = 20;

/** Tries in which the first of the line does not change before another takes it for dead. */
const TRIES_OF_FIRST_MAX = 50;

/** Where the tickets of all processes lie. A simulation has its own. */
export interface Tickets {
  /** In their order. */
  all(): string[];
  /** False when this one is taken. @throws when none can be placed. */
  place(ticket: string): boolean;
  remove(ticket: string): void;
  /** Nobody of this process will come any more. */
  close(): void;
}

/** How one process waits for a store. */
export class WaitingLine {
  private readonly tickets: Tickets;
  private own: string | undefined;
  private seenFirst: string | undefined;
  private triesOfFirst = 0;

  constructor(tickets: Tickets) {
    this.tickets = tickets;
  }

  /** Joins the line, or stays in it. Called at every try. @returns true when it is this one's turn. */
  stand(): boolean {
    const line = this.tickets.all();
    if (this.own === undefined || !line.includes(this.own)) {
      this.place(this.own ?? nextAfter(line.at(-1)));
    }
    const [first] = line;
    if (this.own === undefined || first === undefined || first >= this.own) return true;
    this.judge(first);
    return false;
  }

  /** Who got its turn, or gave up, leaves the line. */
  leave(): void {
    if (this.own === undefined) return;
    this.tickets.remove(this.own);
    this.own = undefined;
    this.seenFirst = undefined;
  }

  /** Who stands first; undefined when nobody waits. */
  first(): string | undefined {
    return this.tickets.all()[0];
  }

  /** Takes one for dead that did not move: one that lives comes back to its place. */
  dismiss(ticket: string): void {
    this.tickets.remove(ticket);
  }

  /** The store is closed. */
  close(): void {
    this.leave();
    this.tickets.close();
  }

  /** Where no ticket can be placed it stays without one: waiting without courtesy is still right. */
  private place(ticket: string): void {
    try {
      this.own = ticket;
      while (!this.tickets.place(this.own)) this.own = nextAfter(this.own);
    } catch {
      this.own = undefined;
    }
  }

  /** Who stands first without end may have died: it must not stop the line. */
  private judge(first: string): void {
    this.triesOfFirst = first === this.seenFirst ? this.triesOfFirst + 1 : 0;
    this.seenFirst = first;
    if (this.triesOfFirst < TRIES_OF_FIRST_MAX) return;
    this.triesOfFirst = 0;
    this.dismiss(first);
  }
}

/** Numbers of equal length sort as texts do. */
function nextAfter(last: string | undefined): string {
  return String((Number.parseInt(last ?? '0', 10) || 0) + 1).padStart(15, '0');
}
