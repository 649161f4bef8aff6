/** The commands of the manual, run as a reader would paste them, and the outputs that it shows. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { plainValue } from '../support/api/plain-value.ts'
import { scriptOf, shownCommands, lackOf } from '../support/docs/snippets.ts'
import { runCommand } from '../support/platform/command.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const rig = opened(() => aPlatform())

const folder = mkdtempSync(join(tmpdir(), 'callplane-documentation-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * The pages whose commands a reader can paste one after the other. The others begin with the login of the first one.
 */
const pages = ['concepts', 'accounts', 'tokens', 'calls', 'gateways', 'events', 'email', 'audit', 'simulated-engine']

/** Pages of which these sections can be pasted; their other commands are for other machines, or parts of programs. */
const sections: readonly (readonly [page: string, ...sections: readonly string[]])[] = [
  ['docs/hooks.md', 'Make one', 'Rehearse it'],
  ['docs/attach.md', '4. The first hook'],
]

const quickStart = shownCommands('docs/quick-start.md')
const walks = [
  ['docs/quick-start.md', quickStart],
  ...pages.map((name) => {
    const page = `docs/${name}.md`
    return [page, quickStart.slice(0, 1).concat(shownCommands(page))] as const
  }),
  ...sections.map(([page, ...titles]) => {
    const shown = titles.flatMap((title) => shownCommands(page, title))
    // A receiver of hooks runs until it is ended.
    return [
      page,
      quickStart.slice(0, 1).concat(shown.filter(({ commands }) => !commands.text.includes('listen('))),
    ] as const
  }),
] as const

/** The folder that a reader works in: the state of the platform is in `.data`, as far as the manual uses it. */
function workingFolder(name: string): string {
  const data = join(folder, name, '.data')
  mkdirSync(data, { recursive: true })
  mkdirSync(join(folder, name, 'output'))
  copyFileSync(join(rig().dataDir, 'demo-accounts.json'), join(data, 'demo-accounts.json'))
  writeFileSync(join(data, 'root-password'), `${rig().platform.kept.rootPassword}\n`)
  return join(folder, name)
}

/** The JSON texts among the lines of an output. */
function jsonLines(output: string): readonly unknown[] {
  return output.split('\n').flatMap((line): unknown[] => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line)]
    } catch {
      return []
    }
  })
}

const plain = (value: unknown) => plainValue(value, { operationId: 'documentation' })

describe('the manual', () => {
  it.each(walks)('the commands of %s run as they are, and answer what the page shows', async (page, shown) => {
    const cwd = workingFolder(page.replaceAll('/', '-'))
    const script = scriptOf(shown.map(({ commands }) => commands.text.replaceAll('http://127.0.0.1:8080', rig().url)))
    writeFileSync(join(cwd, 'script.sh'), script)

    const { status, output } = await runCommand('bash', ['script.sh'], {
      cwd,
      env: { ...process.env, OUTPUT: join(cwd, 'output') },
    })

    const outputs = shown.map((_, at) => {
      try {
        return readFileSync(join(cwd, 'output', String(at)), 'utf8')
      } catch {
        return 'not reached'
      }
    })
    expect(status, [output, ...outputs].join('\n---\n')).toBe(0)
    for (const [at, { output: shownOutput }] of shown.entries()) {
      if (shownOutput === undefined) continue
      const lacks = jsonLines(outputs[at] ?? '').map((line) => lackOf(plain(JSON.parse(shownOutput.text)), plain(line)))
      expect(lacks, `line ${shownOutput.line}: ${outputs[at]}`).toContainEqual([])
    }
  })
})
