import { defineConfig } from 'vitest/config'

const suite = (name: string, extra: object = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node' as const,
    setupFiles: ['test/support/invariants/no-secret-written.ts', 'test/support/invariants/every-fault-is-judged.ts'],
    ...extra,
  },
})

/** Two workers: the smallest machine that the project promises to build on has two cores. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default'],
    projects: [
      suite('unit', { testTimeout: 30_000 }),
      suite('contract', { testTimeout: 60_000, hookTimeout: 60_000 }),
      suite('infra', { testTimeout: 120_000, hookTimeout: 120_000 }),
      suite('e2e', { testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false }),
      // Skipped without FREESWITCH_BIN.
      suite('engine', { testTimeout: 600_000, hookTimeout: 600_000, fileParallelism: false }),
      suite('full', { testTimeout: 600_000, hookTimeout: 600_000, fileParallelism: false }),
    ],
  },
})
