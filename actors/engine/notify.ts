// Notify: runs custom actions after their commit, at most once, on frozen copies (K8). Nothing depends on them.

import type { Logger } from 'pino';
import type { ActorAddress } from '../../persistence/index.ts';
import { type MachineEvent, messageOf } from '../step/index.ts';
import type { OrderedNotification } from './group.ts';

export interface NotifyPorts {
  readonly log: Logger;
  /** Sends as a message: the only way in which a notification reaches an actor. */
  readonly send: (address: ActorAddress, event: MachineEvent) => void;
}

interface ActionInfo {
  readonly context: unknown;
  readonly event: unknown;
}

/** Runs one notification. Never throws: what it throws is logged, and the actor goes on. */
export function notify(ordered: OrderedNotification, ports: NotifyPorts): void {
  try {
    run(ordered, ports);
  } catch (error) {
    failed(ports, ordered.actor, ordered.notification.action, error);
  }
}

function run({ actor, notification }: OrderedNotification, ports: NotifyPorts): void {
  const { action, exec, info, params } = notification;
  if (action === 'xstate.log') {
    const { value, label } = params as { readonly value: unknown; readonly label?: string };
    ports.log.info({ actor, value }, label ?? 'log');
    return;
  }
  if (typeof exec !== 'function') {
    ports.log.warn({ actor, action }, 'an action has no implementation; nothing was done');
    return;
  }
  const result: unknown = exec(argumentsOf(actor, info as ActionInfo, ports), frozenCopy(params));
  if (result instanceof Promise) {
    result.catch((error: unknown) => failed(ports, actor, action, error));
  }
}

function failed(ports: NotifyPorts, actor: ActorAddress, action: string, error: unknown): void {
  ports.log.error(
    { actor, action, error: messageOf(error) },
    'a notification failed; the actor goes on',
  );
}

function argumentsOf(actor: ActorAddress, info: ActionInfo, ports: NotifyPorts): object {
  const self = {
    id: actor,
    sessionId: actor,
    send: (event: MachineEvent) => ports.send(actor, event),
  };
  return {
    context: frozenCopy(info.context),
    event: frozenCopy(info.event),
    self,
    system: {
      get: (address: ActorAddress) => ({
        id: address,
        send: (event: MachineEvent) => ports.send(address, event),
      }),
      getAll: () => ({}),
    },
  };
}

/** A copy that a notification cannot use to change the actor. What cannot be copied is left out. */
function frozenCopy(value: unknown): unknown {
  try {
    return deepFreeze(structuredClone(value));
  } catch {
    return undefined;
  }
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
