/** `npm run advisories -- -c stage=<name>`: packages that are deployed, and the connector's base image. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { digestOf } from './advisories/base-image.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { usageAsked } from './toolchain.mjs'

const usage = `Runs npm audit on the packages that are deployed, and compares connectorBaseDigest of the stage with the digest that the tag
of the connector's base image has now in its public registry. Changes nothing.

  -c stage=NAME   the stage

Ends with 0 when nothing has to be done, 1 when something has, 2 when a word is wrong, 3 when the registry cannot be asked.`

if (usageAsked('npm run advisories', usage)) process.exit(0)
guardTerminals()
const root = join(import.meta.dirname, '..')
const stage = readStage()
console.log('asking for advisories on the packages that are deployed …')
const { status } = spawnSync('npm', ['audit', '--omit=dev'], { cwd: root, stdio: 'inherit' })
const base = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(root, 'connector/Dockerfile'), 'utf8'))?.[1] ?? ''
try {
  const [now, set] = [await digestOf(base), digestOfSettings(stage)]
  console.log(
    now === set
      ? `the base image is that of ${base} now`
      : `the base image has changed: set "connectorBaseDigest": "${now}" in settings/${stage}.local.json and deploy CallplaneConnector`,
  )
  process.exitCode = status === 0 && now === set ? 0 : 1
} catch (error) {
  console.error(`npm run advisories: ${error instanceof Error ? error.message : 'the registry cannot be asked'}`)
  process.exitCode = 3
}

function readStage(): string {
  try {
    const { context } = parseArgs({ options: { context: { type: 'string', short: 'c' } } }).values
    const name = /^stage=([a-z][a-z0-9-]*)$/.exec(context ?? '')?.[1]
    if (name !== undefined) return name
  } catch {}
  console.error(
    'npm run advisories: choose a stage with -c stage=<name>; npm run advisories -- --help shows what it takes',
  )
  process.exit(2)
}

function digestOfSettings(name: string): unknown {
  const files = [`settings/${name}.json`, `settings/${name}.local.json`].map((file) => join(root, file))
  const layers = files.filter((file) => existsSync(file)).map((file): object => JSON.parse(readFileSync(file, 'utf8')))
  return Reflect.get(Object.assign({}, ...layers), 'connectorBaseDigest')
}
