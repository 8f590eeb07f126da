import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    // A test that is skipped by `.only` elsewhere would look like a green run.
    allowOnly: false,
    passWithNoTests: false,
    reporters: ['./scripts/reporter.mjs'],
  },
});
