// Ledger: what the calls of work.mjs have appended, in the order in which it happened.

import { type LedgerLine, readLedger } from '../../crash/place.ts';
import type { Site } from './hosts.ts';

/** A line of the ledger, with the process that started the attempt. */
export type Line = LedgerLine & { readonly pid: number };

export function linesOf(site: Pick<Site, 'ledger'>): Line[] {
  return readLedger(site) as Line[];
}

export function beginsOf(site: Pick<Site, 'ledger'>, call?: string): Line[] {
  return linesOf(site).filter(
    (line) => line.at === 'begin' && (call === undefined || line.call === call),
  );
}
