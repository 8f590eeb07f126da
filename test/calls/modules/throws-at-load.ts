// A module that throws while it is loaded: its function is never reached.

if (import.meta.url !== '') throw new Error('this module does not load');

export default function unreachable(): number {
  return 1;
}
