// Admission: outside sends and spawns, checked and written (M1, M3, K5, K10). Hosts and senders share it.

import { createHash } from 'node:crypto';
import {
  type ActorAddress,
  ADDRESS_CHARACTERS_MAX,
  machineOf,
  TroupeError,
} from '../../persistence/index.ts';
import { canonicalJson, inspectJson } from '../json.ts';
import { EVENT_BYTES_MAX, MAILBOX_MESSAGES_MAX } from '../limits.ts';
import { bytesOver, INIT_EVENT, type MachineEvent } from '../step/index.ts';
import type { Transaction } from './group.ts';
import { refusalOf } from './mailbox.ts';

/** Proof that a message is on disk. The same for every repetition of the same message id. */
export interface SendReceipt {
  readonly messageId: string;
  readonly address: ActorAddress;
  readonly seq: number;
}

export interface OutsideSend {
  readonly address: ActorAddress;
  /** The event as JSON. */
  readonly event: string;
  readonly messageId: string | undefined;
}

/** Longest message id of a caller. Characters. */
export const MESSAGE_ID_CHARACTERS_MAX = 256;

/**
 * Checks an outside event before anything is written. @returns its JSON.
 * @throws {TroupeError} `invalid_event`, `event_too_large`.
 */
export function checkEvent(event: unknown): string {
  if (typeof event !== 'object' || event === null || !('type' in event)) {
    throw invalidEvent('An event is an object with a type, for example { "type": "APPROVE" }.');
  }
  const { type } = event;
  if (typeof type !== 'string' || type === '')
    throw invalidEvent('The type of an event is a text.');
  if (type.startsWith('xstate.')) {
    throw invalidEvent(
      `'${type}' is reserved: events that begin with 'xstate.' are made by Troupe.`,
    );
  }
  if ('atMs' in event) {
    throw invalidEvent("'atMs' is reserved: Troupe stamps every event with the time of its step.");
  }
  const finding = inspectJson(event);
  if (!finding.ok) {
    throw invalidEvent(
      `'${type}' cannot be stored: ${finding.path} is ${finding.found}. Send plain JSON.`,
    );
  }
  const text = JSON.stringify(event);
  const bytes = bytesOver(text, EVENT_BYTES_MAX);
  if (bytes === undefined) return text;
  throw new TroupeError(
    'event_too_large',
    `The event '${type}' has ${bytes} bytes; at most ${EVENT_BYTES_MAX} are taken. Put the data into a file and send its name.`,
    { details: { bytes, bytesMax: EVENT_BYTES_MAX } },
  );
}

function invalidEvent(message: string): TroupeError {
  return new TroupeError('invalid_event', message);
}

/** @throws {TroupeError} `invalid_address`. */
export function checkAddress(address: string): ActorAddress {
  if (machineOf(address) !== undefined && address.length <= ADDRESS_CHARACTERS_MAX) return address;
  throw new TroupeError(
    'invalid_address',
    `'${address.slice(0, 100)}' is no address. An address is machine/id, for example archive/photos, of at most ${ADDRESS_CHARACTERS_MAX} characters.`,
  );
}

/** @throws {TroupeError} `invalid_message_id`. */
export function checkMessageId(messageId: string | undefined): void {
  if (messageId === undefined) return;
  if (messageId !== '' && messageId.length <= MESSAGE_ID_CHARACTERS_MAX) return;
  throw new TroupeError(
    'invalid_message_id',
    `A message id has 1 to ${MESSAGE_ID_CHARACTERS_MAX} characters.`,
  );
}

/** A refusal that leaves a trace: it is thrown after the transaction that keeps the message has been committed. */
export class KeptRefusal {
  readonly error: TroupeError;

  constructor(error: TroupeError) {
    this.error = error;
  }
}

/**
 * Writes one outside send. @returns its receipt, or the refusal of a message that is kept as undeliverable.
 * @throws {TroupeError} `message_id_conflict`, `actor_stuck`, `mailbox_full`: nothing was written.
 */
export function admitSend(transaction: Transaction, send: OutsideSend): SendReceipt | KeptRefusal {
  const { store, arrivedAtMs } = transaction;
  const { address, event, messageId } = send;
  const scope = `send:${address}`;
  const digest = messageId === undefined ? '' : digestOf(event);
  if (messageId !== undefined) {
    const known = store.receipts.get(scope, messageId);
    if (known !== undefined) return repeated(known, digest, address, messageId);
  }
  const status = store.actors.status(address);
  const refusal = refusalOf(status);
  transaction.writtenBytes += event.length;
  if (refusal !== undefined) {
    const kept = { actor: address, id: messageId ?? null, event: JSON.parse(event) as unknown };
    store.messages.refuse(kept, refusal, arrivedAtMs);
    return new KeptRefusal(
      new TroupeError(refusal, explainRefusal(refusal, address), { details: { address } }),
    );
  }
  if (status === 'stuck') throw stuck(address);
  requireRoom(transaction, address);
  const seq = transaction.mail({
    id: messageId,
    actor: address,
    sender: undefined,
    event,
    kind: 'event',
    readyAtMs: arrivedAtMs,
    cause: undefined,
    held: false,
  });
  if (messageId !== undefined) {
    store.receipts.insert({ scope, key: messageId, digest, actor: address, seq });
  }
  return { messageId: messageId ?? `message-${seq}`, address, seq };
}

function repeated(
  known: { readonly digest: string; readonly seq: number },
  digest: string,
  address: ActorAddress,
  messageId: string,
): SendReceipt {
  if (known.digest === digest) return { messageId, address, seq: known.seq };
  throw new TroupeError(
    'message_id_conflict',
    `The message id '${messageId}' was used for ${address} with another event. Use a new id for a new event.`,
    { details: { address, messageId } },
  );
}

/** @throws {TroupeError} `mailbox_full`. */
export function requireRoom({ store, mailboxes }: Transaction, address: ActorAddress): void {
  const waiting = mailboxes.get(address) ?? store.messages.waiting(address, MAILBOX_MESSAGES_MAX);
  mailboxes.set(address, waiting + 1);
  if (waiting < MAILBOX_MESSAGES_MAX) return;
  throw new TroupeError(
    'mailbox_full',
    `${MAILBOX_MESSAGES_MAX} messages wait for ${address}. Send again when some have been stepped; see 'troupe show ${address}'.`,
    { details: { address, messagesMax: MAILBOX_MESSAGES_MAX } },
  );
}

function stuck(address: ActorAddress): TroupeError {
  return new TroupeError(
    'actor_stuck',
    `${address} is stuck on an earlier message and takes none from outside. See 'troupe show ${address}'.`,
    { details: { address } },
  );
}

function explainRefusal(reason: string, address: ActorAddress): string {
  const why =
    reason === 'actor_unknown'
      ? `There is no actor ${address}.`
      : reason === 'actor_final'
        ? `${address} has ended.`
        : `${address} was stopped.`;
  return `${why} The message was kept: see 'troupe undeliverable'.`;
}

/** SHA-256 of the content, whatever the order of its keys. */
function digestOf(json: string): string {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(json)))
    .digest('hex');
}

export interface OutsideSpawn {
  readonly address: ActorAddress;
  readonly machine: string;
  readonly machineVersion: number;
  /** The input as canonical JSON, or undefined. */
  readonly input: string | undefined;
  /** The host that it is bound to (V4a). */
  readonly host: string | undefined;
}

/**
 * Writes a new actor and the message that gives it birth; an existing one of equal input is left as it is.
 * @returns true when the actor is new. @throws {TroupeError} `actor_exists` for another input.
 */
export function admitSpawn(transaction: Transaction, spawn: OutsideSpawn): boolean {
  const { store, arrivedAtMs } = transaction;
  const existing = store.actors.get(spawn.address);
  if (existing !== undefined) {
    if ((existing.input ?? undefined) === spawn.input && existing.parent === null) return false;
    throw new TroupeError(
      'actor_exists',
      `${spawn.address} exists with another input. Choose another id, or spawn it with the input that it has: see 'troupe show ${spawn.address}'.`,
      { details: { address: spawn.address } },
    );
  }
  transaction.writtenBytes += 2 * (spawn.input?.length ?? 0);
  store.actors.insert({
    id: spawn.address,
    machine: spawn.machine,
    machineVersion: spawn.machineVersion,
    parent: undefined,
    childId: undefined,
    host: spawn.host,
    input: spawn.input,
    armings: undefined,
    atMs: arrivedAtMs,
  });
  transaction.mail({
    actor: spawn.address,
    sender: undefined,
    event: initEvent(spawn.input),
    kind: 'init',
    readyAtMs: BIRTH_READY_MS,
    cause: undefined,
    held: false,
  });
  return true;
}

/** Births are ready before everything else, also before what was sent to the address earlier and comes due now (T4). */
export const BIRTH_READY_MS = 0;

/** The event that gives an actor birth, as JSON. */
export function initEvent(input: string | undefined): string {
  const birth: MachineEvent = { type: INIT_EVENT };
  return input === undefined ? JSON.stringify(birth) : `{"type":"${INIT_EVENT}","input":${input}}`;
}
