// Finding: one thing that is not as it should be, how bad that is, and what mends it.

/** `error`: something stands still, or is damaged, until somebody acts. `warning`: it will, or it costs. */
export type Severity = 'error' | 'warning';

export interface DoctorFinding {
  readonly severity: Severity;
  /** Stable, for programs: `stuck`, `host_unproven`, `store_damaged`, … */
  readonly code: string;
  readonly problem: string;
  /** The command that mends it, or what to do where no command can. */
  readonly mend: string;
  /** How many rows or files it is about; 1_000 stands for that many or more. */
  readonly count: number;
  /** Their names: addresses, ids of calls, files. At most 1_000. */
  readonly subjects: readonly string[];
}

/** One finding about some rows; none when there are no rows. */
export function about(
  subjects: readonly string[],
  finding: Omit<DoctorFinding, 'count' | 'subjects'>,
): DoctorFinding[] {
  return subjects.length === 0 ? [] : [{ ...finding, count: subjects.length, subjects }];
}

/** Quotes a file's name for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
