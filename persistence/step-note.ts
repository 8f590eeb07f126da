// Step note: which message a host is stepping, in a small file beside the store, for whoever finds that host dead (V3).
//
// It is written without a sync: what a killed process has written stays with the operating system. When the machine itself
// goes down it may be lost or torn; then it counts nothing. SQLite never opens this file, so that others may (V4).

import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { TroupeError } from './errors.ts';

/** The step that a host was in. */
export interface NotedStep {
  /** The sequence number of its message. */
  readonly seq: number;
  /** True when the message was written by the very group that stepped it: with that group it is gone. */
  readonly isNew: boolean;
}

/** The note of a host, held open. */
export interface StepNote {
  write(step: NotedStep): void;
  /** No step goes on. */
  clear(): void;
  /** Closes the file; it stays, for whoever settles this host. From then on nothing is written. */
  close(): void;
}

/** The notes of one store's hosts. */
export interface StepNotes {
  /** Makes the note of a new host. @throws {TroupeError} `store_not_writable` when it cannot be made. */
  open(incarnation: string): StepNote;
  /** What a dead host was stepping; undefined when it was between steps, or its note is missing, torn or something else. */
  read(incarnation: string): NotedStep | undefined;
  remove(incarnation: string): void;
}

/** The note of a host: `<store>.step-<incarnation>`. */
export function noteFileOf(store: string, incarnation: string): string {
  return `${store}.step-${incarnation}`;
}

/** Notes in files beside the store. */
export function stepNoteFiles(store: string): StepNotes {
  return {
    open: (incarnation) => openNote(noteFileOf(store, incarnation)),
    read: (incarnation) => readNote(noteFileOf(store, incarnation)),
    remove: (incarnation) => rmSync(noteFileOf(store, incarnation), { force: true }),
  };
}

/** Begins every note: "Step" in ASCII. */
const MARK = 0x53746570;

/** Three numbers: the mark, the step, and its negative, so that a torn note is known as one. Bytes. */
const NOTE_BYTES = 3 * Float64Array.BYTES_PER_ELEMENT;

function openNote(file: string): StepNote {
  const numbers = new Float64Array([MARK, 0, 0]);
  const bytes = new Uint8Array(numbers.buffer);
  // Undefined once it is closed: its number may then be SQLite's, whose locks a second close would drop (V4).
  let descriptor: number | undefined = makeFile(file);
  const put = (step: number): void => {
    if (descriptor === undefined) return;
    numbers[1] = step;
    numbers[2] = -step;
    try {
      writeSync(descriptor, bytes, 0, NOTE_BYTES, 0);
    } catch {
      // A disk that fails: the step's own transaction reports it. Without a note a death counts nothing.
    }
  };
  put(0);
  return {
    // The sign tells whether the message is new: sequence numbers begin at 1.
    write: ({ seq, isNew }) => put(isNew ? -seq : seq),
    clear: () => put(0),
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function makeFile(file: string): number {
  try {
    return openSync(file, 'w');
  } catch (error) {
    throw new TroupeError(
      'store_not_writable',
      `The host's note ${file} cannot be made: the folder must allow this user to create files.`,
      { cause: error, details: { file } },
    );
  }
}

function readNote(file: string): NotedStep | undefined {
  const bytes = bytesOf(file);
  if (bytes?.length !== NOTE_BYTES) return undefined;
  const [mark, step = 0, check] = new Float64Array(Uint8Array.from(bytes).buffer);
  if (mark !== MARK || check !== -step || step === 0) return undefined;
  return { seq: Math.abs(step), isNew: step < 0 };
}

/** Undefined when there is no such file, or it cannot be read. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
