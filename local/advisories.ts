/** `npm run advisories`: says whether a dependency or the base of the connector's image has an advisory, and what to do. */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { baseFindings, nodeFindings } from './advisories/base-image.ts'
import { dependencyFindings } from './advisories/dependencies.ts'
import type { Finding } from './advisories/finding.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { usageAsked } from './toolchain.mjs'

const usage = `Asks npm about the packages of package-lock.json, the registry of images about the base of the connector's image, and nodejs.org
about its Node. Prints each thing that has an advisory with what to do, and changes nothing.

  --stage NAME   the stage whose connectorBaseDigest is compared; prod unless given

Ends with 0 when nothing has to be done, 1 when something has, 2 when a word is wrong, 3 when a source gives no answer and the others find nothing.`

if (usageAsked('npm run advisories', usage)) process.exit(0)
guardTerminals()

/** Ends the process with 2 when the words are wrong. */
function readStage(): string {
  try {
    const { stage = 'prod' } = parseArgs({ options: { stage: { type: 'string' } } }).values
    if (/^[a-z][a-z0-9-]*$/.test(stage) && existsSync(`settings/${stage}.json`)) return stage
  } catch {
    // Said below.
  }
  console.error(
    'npm run advisories: --stage must name a file of settings; npm run advisories -- --help shows what it takes',
  )
  process.exit(2)
}

const stageFile = z.object({ connectorBaseDigest: z._default(z.string(), '') })
const settings = z.parse(stageFile, JSON.parse(readFileSync(`settings/${readStage()}.json`, 'utf8')))
const base = {
  name: /^ARG BASE=(\S+)$/m.exec(readFileSync('connector/Dockerfile', 'utf8'))?.[1] ?? '',
  digest: settings.connectorBaseDigest,
}
const sources: ReadonlyArray<readonly [string, () => Finding[] | Promise<Finding[]>]> = [
  ['the packages', () => dependencyFindings(process.cwd())],
  ["the base of the connector's image", () => baseFindings(base)],
  ['the releases of Node', () => nodeFindings(base)],
]

let found = 0
let silent = 0
for (const [what, find] of sources) {
  try {
    const findings = await find()
    found += findings.length
    console.log(`${what}: ${findings.length === 0 ? 'nothing to do' : `${findings.length} to do`}`)
    for (const { subject, problem, action } of findings) console.log(`  ${subject}: ${problem}\n    ${action}`)
  } catch (error) {
    silent += 1
    console.error(`${what}: no answer (${error instanceof Error ? error.message : String(error)})`)
  }
}
process.exit(found > 0 ? 1 : silent > 0 ? 3 : 0)
