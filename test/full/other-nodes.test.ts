/** The commands on other Nodes than the pinned one, which come from npm. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { npmCommand } from '../../local/processes/npm-command.mjs'
import { runCommand } from '../support/platform/command.ts'

const tooOld = ['4.9.1', '18.20.8']
const newEnough = ['20.20.2', '22.23.3']

/** Installs a Node once, next to the packages. Returns its program; `undefined` where npm has none for this machine. */
async function nodeOf(version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  const place = resolve('node_modules/.cache/nodes', version)
  const program = join(place, 'node_modules', name, 'bin/node')
  if (existsSync(program)) return program
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}\n')
  const [npm, ...first] = npmCommand()
  await runCommand(npm, [...first, 'install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: place })
  return existsSync(program) ? program : undefined
}

const nodes = new Map<string, string>()
for (const version of [...tooOld, ...newEnough]) {
  const program = await nodeOf(version)
  if (program === undefined) console.warn(`nothing is tried on Node ${version}: npm has none for this machine`)
  else nodes.set(version, program)
}
const had = (versions: readonly string[]) => versions.filter((version) => nodes.has(version))

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Runs a command of package.json on a Node. */
function run(version: string, name: string, ...words: readonly string[]) {
  const [, ...given] = (scripts[name] ?? '').split(' ')
  return runCommand(nodes.get(version) ?? '', [...given, ...words], { cwd: process.cwd() })
}

describe.each(had(tooOld))('Node %s', (version) => {
  it.each(Object.keys(scripts))(
    `npm run %s on Node ${version} says in one line which Node it needs, and ends`,
    async (name) => {
      const { status, output } = await run(version, name)

      expect(output).toBe(
        `callplane needs Node 20 or later, and this is Node ${version}: install a later one and run the command again\n`,
      )
      expect(status).toBe(1)
    },
  )
})

describe.each(had(newEnough))('Node %s', (version) => {
  it.each(Object.keys(scripts))(`npm run %s works on Node ${version}, as far as its help shows`, async (name) => {
    const { status, output } = await run(version, name, '--help')

    expect(status, output).toBe(0)
    expect(output).not.toContain('EBADENGINE')
  })

  it(`a test file passes on Node ${version}, since it runs on the pinned Node`, async () => {
    const { status, output } = await run(version, 'test', 'test/unit/hooks/retry-schedule.test.ts')

    expect(status, output).toBe(0)
  })

  it(`the command line runs on Node ${version}`, async () => {
    const { status, output } = await runCommand(nodes.get(version) ?? '', ['cli/callplane.mjs', '--help'], {
      cwd: process.cwd(),
    })

    expect(status, output).toBe(0)
    expect(output).toContain('callplane')
  })
})
