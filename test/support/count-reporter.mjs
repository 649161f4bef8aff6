// Counts what a test run came to, in a file of its own, so that the caller's own reporters stay free for other uses.
import { writeFileSync } from 'node:fs'

/** The environment variable with the path of the file that the counts are written to, as JSON. */
const countsFile = 'TEST_COUNTS_FILE'

/** A vitest reporter that writes `{ passed, failed, skipped }` when the run ends. */
export default class CountReporter {
  /** A file that could not be loaded, or an error outside of every test, counts as one failed test. */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state)
      for (const state of states) if (state in counts) counts[state] += 1
      if (module.state() === 'failed' && !states.includes('failed')) counts.failed += 1
    }
    const file = process.env[countsFile]
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  }
}
