// A module without a default export: it cannot be a call.

export function behave(): number {
  return 1;
}
