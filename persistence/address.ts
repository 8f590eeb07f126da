// Addresses: how an actor is named everywhere, `machine/id`.

declare const machineOfAddress: unique symbol;

/**
 * The address of an actor: `machine/id`, for example `archive/photos`. A child's address is
 * `<machine>/<parentId>.<childId>@<revision that spawned it>`. The type parameter is the machine definition, so that
 * `send` can check the event; at run time it is a string.
 */
export type ActorAddress<TMachine = unknown> = string & {
  readonly [machineOfAddress]?: TMachine;
};

/** Longest address, in characters. */
export const ADDRESS_CHARACTERS_MAX = 512;

/** Joins a machine's id and an actor's id. */
export function toAddress<TMachine = unknown>(machine: string, id: string): ActorAddress<TMachine> {
  return `${machine}/${id}`;
}

/** The machine part of an address, or `undefined` when the text is no address. */
export function machineOf(address: string): string | undefined {
  const slash = address.indexOf('/');
  return slash > 0 && slash < address.length - 1 ? address.slice(0, slash) : undefined;
}

/** The id part of an address: all that follows the first slash. */
export function idOf(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}

/**
 * The address of a child: its machine, and an id made of its parent's, its own and the revision that spawned it. What
 * would read as another part of an address is escaped in the child's id, so that no two children share an address.
 */
export function childAddress(
  machine: string,
  parent: ActorAddress,
  childId: string,
  revision: number,
): ActorAddress {
  const escaped = childId.replace(/[%.@#]/g, (character) =>
    encodeURIComponent(character).replace('.', '%2E'),
  );
  return toAddress(machine, `${idOf(parent)}.${escaped}@${revision}`);
}
