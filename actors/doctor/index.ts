export { type Diagnosis, examine, WAL_BYTES_MAX } from './examine.ts';
export type { DoctorFinding, Severity } from './finding.ts';
export { type ExaminedHost, examineHosts } from './hosts.ts';
export { WAIT_MS_MAX, type Waiting, type Waits } from './waits.ts';
