// `npm test`, `npm run test:full` and `npm run test:engine`. Plain JavaScript, so that it starts on the machine's own
// Node before anything is installed. Writes the counts to .build/test-results for the pipeline's closing line.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, run, runAndRead, usageAsked } from '../../local/toolchain.mjs'

const suites = {
  test: {
    projects: ['unit', 'alone', 'contract', 'infra', 'e2e'],
    usage:
      'Runs the unit, contract, infrastructure and end-to-end tests. Other words go to vitest: npm test -- <file or option>.',
  },
  'test:full': {
    projects: ['full', 'broad'],
    usage:
      'Runs the long proofs, and the whole of those of which npm test runs a part: a fresh clone, crash points, real judges where they can be had. Other words go to vitest.',
  },
  'test:engine': {
    projects: ['engine'],
    usage:
      'Runs the engine kit at the FreeSWITCH that FREESWITCH_BIN names; skipped without one. Other words go to vitest.',
  },
}
const name = process.argv.includes('--full') ? 'test:full' : process.argv.includes('--engine') ? 'test:engine' : 'test'
const { projects, usage } = suites[name]
const words = process.argv.slice(2).filter((word) => word !== '--full' && word !== '--engine')
if (usageAsked(name === 'test' ? 'npm test' : `npm run ${name}`, usage)) process.exit(0)
if (name === 'test:engine' && !existsSync(process.env['FREESWITCH_BIN'] ?? '')) {
  console.log('skipped: FREESWITCH_BIN names no FreeSWITCH, so nothing was tested at a real engine')
  process.exit(0)
}

ensureInstalled()
// A part of a suite, which a test may run meanwhile, leaves the counts of the whole as they are.
const results = `.build/test-results/${words.length === 0 ? name.split(':').at(-1) : 'part'}.json`
mkdirSync('.build/test-results', { recursive: true })
rmSync(results, { force: true })
process.env['TEST_COUNTS_FILE'] = results
// Each test file runs in a process of its own, which would compile every package again.
process.env['NODE_COMPILE_CACHE'] ??= join(dirname(fileURLToPath(import.meta.url)), '../../.build/compile-cache')
// Reporters on the command line replace the usual one; the one that counts comes along in either case.
const reporters = words.some((word) => word.startsWith('--reporter')) ? [] : ['--reporter=default']
const { status, output } = await runAndRead('vitest', [
  'run',
  ...projects.flatMap((project) => ['--project', project]),
  ...reporters,
  '--reporter=./test/support/count-reporter.mjs',
  ...words,
])
const counts = summary(results)
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
)
if (status === 0 && counts.passed === 0) console.error('no test ran')
const isClean = showsNoSecret(output)
process.exit(status === 0 && (counts.passed === 0 || !isClean) ? 1 : status)

/** Nothing that is tested may print what tests give it as a secret. The scan runs on the project's own Node. */
function showsNoSecret(printed) {
  const file = `${results}.output`
  writeFileSync(file, printed)
  const scanned = run('node', ['test/support/scan-output.ts', file])
  rmSync(file)
  return scanned === 0
}

/** Reads the counts of a run; one that wrote none counts as one failure. */
function summary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
