export type { Finding } from './check.ts';
export { type Definition, type DefinitionLine, firstDifference } from './definition.ts';
export { createRegistry, type RegisteredMachine, type Registry } from './registry.ts';
export type { CallSpec, ListenerLogic, PromiseCreator, SpecClass } from './sources.ts';
