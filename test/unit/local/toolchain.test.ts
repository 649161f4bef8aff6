import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { npmCommand } from '../../../local/processes/npm-command.mjs'

const file = 'local/node-version.cjs'
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const { problemOfNode } = createRequire(import.meta.url)('../../../local/node-version.cjs') as {
  problemOfNode: (version: string) => string | undefined
}

describe('an old Node', () => {
  it.each(['4.9.1', '10.24.1', '18.20.8', '19.9.0'])(
    'Node %s is refused with the version that is needed',
    (version) => {
      expect(problemOfNode(version)).toBe(
        `callplane needs Node 20 or later, and this is Node ${version}: install a later one and run the command again`,
      )
    },
  )

  it.each(['20.0.0', '22.23.3', '24.9.0', '26.1.0'])('Node %s is accepted', (version) => {
    expect(problemOfNode(version)).toBeUndefined()
  })

  it('the file that refuses an old Node uses no syntax that the oldest Node cannot read', () => {
    const code = readFileSync(file, 'utf8').replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '')

    expect(code.match(/=>|`|\?\.|\?\?|\b(?:let|const|class|async|await|import|export)\b/g)).toBeNull()
  })

  it('every command of package.json checks the version of Node before anything else', () => {
    for (const [name, command] of Object.entries(scripts))
      expect([name, command]).toEqual([name, expect.stringMatching(/^node -r \.\/local\/node-version\.cjs \S+\.mjs\b/)])
  })
})

describe('npm', () => {
  it('npm is run by its own JavaScript: the npm that runs this command, or else the one next to Node', () => {
    const folder = mkdtempSync(join(tmpdir(), 'callplane-npm-'))
    const cli = join(folder, 'lib/node_modules/npm/bin/npm-cli.js')
    mkdirSync(dirname(cli), { recursive: true })
    writeFileSync(cli, '')
    const node = join(folder, 'bin/node')

    expect(npmCommand({ npm_execpath: '/npm/bin/npm-cli.js', npm_node_execpath: '/n' }, node)).toEqual([
      '/n',
      '/npm/bin/npm-cli.js',
    ])
    expect(npmCommand({}, node)).toEqual([node, cli])
    expect(npmCommand({ npm_execpath: '/pnpm/bin/pnpm.cjs' }, '/elsewhere/bin/node')).toEqual(['npm'])
    rmSync(folder, { recursive: true })
  })
})
