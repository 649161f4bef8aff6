// Counts what a test run came to, in a file of its own, so that the caller's own reporters stay free for other uses.
import { writeFileSync } from 'node:fs'

/** The environment variable with the path of the file that the counts are written to, as JSON. */
const countsFile = 'TEST_COUNTS_FILE'

/**
 * A vitest reporter that writes `{ passed, failed, skipped, failures }` when the run ends; `failures` names each failed
 * test.
 */
export default class CountReporter {
  /** A file that could not be loaded, or an error outside of every test, counts as one failed test. */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const failures = unhandledErrors.map(({ message }) => `outside of every test: ${message}`)
    for (const module of modules) {
      const tests = [...module.children.allTests()].map((test) => ({ test, state: test.result().state }))
      for (const { state } of tests) if (state in counts) counts[state] += 1
      const failed = tests.filter(({ state }) => state === 'failed')
      failures.push(...failed.map(({ test }) => `${module.relativeModuleId}: ${test.fullName}`))
      if (module.state() === 'failed' && failed.length === 0) {
        counts.failed += 1
        failures.push(`${module.relativeModuleId}: the file as a whole`)
      }
    }
    const file = process.env[countsFile]
    if (file !== undefined) writeFileSync(file, JSON.stringify({ ...counts, failures }))
  }
}
