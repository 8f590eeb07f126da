// Watchdog memory: what the host's thread and the watchdog's see of each other.

/** Bytes of an address that are told; the rest is cut off. */
const ADDRESS_BYTES = 512;

export interface WatchdogMemory {
  /** The number of the step that goes on, from 1; 0 while none does. */
  readonly step: Int32Array;
  /** 1 while the watchdog sleeps until the next step. */
  readonly isAsleep: Int32Array;
  /** Nobody writes it: the watchdog waits for it to let time pass. */
  readonly time: Int32Array;
  /** The sequence number of the message that is stepped. */
  readonly seq: Float64Array;
  /** The address of its actor, UTF-8. */
  readonly address: Uint8Array;
  readonly addressBytes: Int32Array;
}

/** What the watchdog's thread is started with. */
export interface WatchdogTask {
  readonly memory: WatchdogMemory;
  readonly limitMs: number;
  readonly lookMs: number;
}

export function layOut(): WatchdogMemory {
  const cell = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return {
    step: cell(),
    isAsleep: cell(),
    time: cell(),
    seq: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
    address: new Uint8Array(new SharedArrayBuffer(ADDRESS_BYTES)),
    addressBytes: cell(),
  };
}
