export {
  FAULT_RATES,
  type FaultName,
  type FaultRates,
  type InjectedFault,
  NO_FAULTS,
  type ScriptedFault,
} from './faults.ts';
export type { LedgerEntry } from './ledger.ts';
export type {
  SimulatedWorld,
  SimulateOptions,
  SimulationFinding,
  SimulationReport,
} from './options.ts';
export type { Random } from './random.ts';
export { simulate } from './simulate.ts';
export { workload } from './workload/index.ts';
export type { Outside, SimulatedCall } from './world.ts';
