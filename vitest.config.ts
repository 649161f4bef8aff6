import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/**
 * Files with a worker of their own: one replaces a module, which others in the same worker may have loaded already, and
 * one measures memory, which takes long in the heap of many files.
 */
const alone = ['test/unit/adapters/password-hash-work.test.ts', 'test/unit/esl/held-memory.test.ts']

/** Files with proofs of which `npm test` runs a part: those that ask for their breadth. */
const broad = globSync('test/{unit,contract,infra}/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('/support/breadth.ts'),
)

const suite = (name: string, extra: object = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: [...alone],
    environment: 'node' as const,
    // Files share a worker, so modules are compiled once and not once for each of 500 files.
    isolate: false,
    setupFiles: [
      'test/support/invariants/globals-restored.ts',
      'test/support/invariants/no-secret-written.ts',
      'test/support/invariants/every-fault-is-judged.ts',
    ],
    ...extra,
  },
})

/**
 * Files of the end-to-end tests: each has a process, a platform, ports and a folder of its own, so two run at the same
 * time.
 */
const twoPlatforms = { isolate: true, globalSetup: 'test/support/platform/ensure-test-assembly.ts' }

/** Files that start whole platforms and load the machine: one at a time, each in a process of its own. */
const oneByOne = { isolate: true, fileParallelism: false }

/** Two workers: the smallest machine that the project promises to build on has two cores. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    fsModuleCache: true,
    reporters: ['default'],
    projects: [
      suite('unit', { testTimeout: 30_000 }),
      suite('alone', { include: alone, exclude: [], isolate: true, testTimeout: 30_000 }),
      suite('contract', { testTimeout: 60_000, hookTimeout: 60_000 }),
      suite('infra', { testTimeout: 120_000, hookTimeout: 120_000 }),
      suite('e2e', { testTimeout: 120_000, hookTimeout: 120_000, ...twoPlatforms, sequence: { groupOrder: 1 } }),
      // The whole of what `npm test` runs a part of (`test/support/breadth.ts`).
      suite('broad', {
        include: broad,
        env: { TEST_BREADTH: 'all' },
        testTimeout: 180_000,
        hookTimeout: 120_000,
        sequence: { groupOrder: 4 },
      }),
      // Skipped without FREESWITCH_BIN.
      suite('engine', { testTimeout: 600_000, hookTimeout: 600_000, ...oneByOne, sequence: { groupOrder: 2 } }),
      suite('full', { testTimeout: 600_000, hookTimeout: 600_000, ...oneByOne, sequence: { groupOrder: 3 } }),
    ],
  },
})
