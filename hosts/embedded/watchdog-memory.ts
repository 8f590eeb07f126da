// Watchdog memory: what the host's thread and the watchdog's see of each other.

/** Bytes of an address that are told; the rest is cut off. */
const ADDRESS_BYTES = 512;

/** The number of the step that goes on, from 1; 0 while none does. */
export const NUMBER = 0;
/** 1 while the watchdog sleeps until the next step. */
export const SLEEPS = 1;
/** Nobody writes it: the watchdog waits for it to let time pass. */
export const TIME = 2;
/** Bytes of the address. */
export const ADDRESS_LENGTH = 3;

export interface WatchdogMemory {
  readonly numbers: Int32Array<SharedArrayBuffer>;
  /** The sequence number of the message that is stepped. */
  readonly seq: Float64Array<SharedArrayBuffer>;
  /** The address of its actor, UTF-8. */
  readonly address: Uint8Array<SharedArrayBuffer>;
}

/** What the watchdog's thread is started with. */
export interface WatchdogTask {
  readonly memory: WatchdogMemory;
  readonly limitMs: number;
  readonly lookMs: number;
}

export function layOut(): WatchdogMemory {
  return {
    numbers: new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT)),
    seq: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
    address: new Uint8Array(new SharedArrayBuffer(ADDRESS_BYTES)),
  };
}
