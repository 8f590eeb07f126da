// Shell: command lines that a person can type as they stand.

/** Quotes a word where a POSIX shell would read it otherwise. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Joins a command, its argument and the options that have a value. */
export function commandLine(
  command: string,
  argument: string,
  options: Readonly<Record<string, string | undefined>>,
): string {
  const named = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quote(value)}`],
  );
  return [command, quote(argument), ...named].join(' ');
}
