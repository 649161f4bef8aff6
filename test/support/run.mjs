// `npm test` and `npm run test:full`. Plain JavaScript, so that it starts on the machine's own Node before anything is
// installed. Writes the counts to .build/test-results for the pipeline's closing line.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ensureInstalled, runAndRead, usageAsked } from '../../local/toolchain.mjs'

const full = process.argv.includes('--full')
const words = process.argv.slice(2).filter((word) => word !== '--full')
const usage = full
  ? 'Runs the long proofs: a fresh clone, crash points, real judges where they can be had. Other words go to vitest.'
  : 'Runs the unit, contract, infrastructure and end-to-end tests. Other words go to vitest: npm test -- <file or option>.'
if (usageAsked(full ? 'npm run test:full' : 'npm test', usage)) process.exit(0)

/** How the passwords begin that tests give to accounts and mail servers; none may be printed by what is tested. */
const secrets = ['password of 1', 'secret of 1', 'Sm7p-p4ss']

ensureInstalled()
const projects = full ? ['full'] : ['unit', 'contract', 'infra', 'e2e']
const results = `.build/test-results/${full ? 'full' : 'test'}.json`
mkdirSync('.build/test-results', { recursive: true })
rmSync(results, { force: true })
const { status, output } = await runAndRead('vitest', [
  'run',
  ...projects.flatMap((project) => ['--project', project]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${results}`,
  ...words,
])
const counts = summary(results)
const shown = secrets.filter((secret) => output.includes(secret))
writeFileSync(results, JSON.stringify(counts))
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
)
if (status === 0 && counts.passed === 0) console.error('no test ran')
if (shown.length > 0) console.error(`the output above shows what tests use as a secret: ${shown.join(', ')}`)
process.exit(status === 0 && (counts.passed === 0 || shown.length > 0) ? 1 : status)

function summary(file) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = JSON.parse(
      readFileSync(file, 'utf8'),
    )
    return {
      passed: numPassedTests,
      failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0),
      skipped: numPendingTests,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
