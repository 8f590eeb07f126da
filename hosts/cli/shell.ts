// Shell: command lines that a person can type as they stand.

/** Quotes a word where a POSIX shell would read it otherwise. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Joins a command, its argument and the options that have a value; `true` is a flag. */
export function commandLine(
  command: string,
  argument: string | undefined,
  options: Readonly<Record<string, string | true | undefined>>,
): string {
  const named = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [value === true ? `--${name}` : `--${name} ${quote(value)}`],
  );
  const words = argument === undefined ? [command] : [command, quote(argument)];
  return [...words, ...named].join(' ');
}
