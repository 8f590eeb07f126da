// Figures: what the reports make of what was measured.

/** The figure below which this share of them lies. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** To so many decimals; default 2. */
export function rounded(figure: number, decimals = 2): number {
  return Number(figure.toFixed(decimals));
}
