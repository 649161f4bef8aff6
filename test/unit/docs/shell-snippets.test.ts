/** Commands of pages that no test runs, because they are for other machines: at least they are commands that exist. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../cli/document/parse-document.ts'
import { describedCommands } from '../../support/cli/reference.ts'
import { snippetsOf } from '../../support/docs/snippets.ts'

const pages = ['README.md', 'CONTRIBUTING.md', 'client/README.md', ...globSync('docs/*.md')]
const scripts = pages.flatMap((page) =>
  snippetsOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text, line }) => [`${page}:${line}`, text] as const),
)

/** The lines of all snippets, and the commands in the text of pages. */
const commandLines = pages.flatMap((page) => {
  const text = readFileSync(page, 'utf8')
  const blocks = snippetsOf(page).flatMap(({ language, text: block }) =>
    ['sh', 'text'].includes(language) ? block.split('\n') : [],
  )
  const inline = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...blocks, ...inline].map((line) => [page, line.replace(/\s+#.*$/, '').trim()] as const)
})

const callplane = commandLines.flatMap(([page, line]) => {
  const [, words] = /^(?:npx )?callplane (.+)$/.exec(line) ?? []
  return words === undefined || words.includes('…') || words.startsWith('<') ? [] : [[page, words] as const]
})

const commands = new Map<string, Command>(
  describedCommands().map(({ name, command }) => [name.split(' ').slice(1).join(' '), command]),
)

/** Returns the command that words begin with, and the words after its name. */
function commandOf(words: readonly string[]): { readonly command: Command; readonly rest: string[] } | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const command = commands.get(words.slice(0, count).join(' '))
    if (command !== undefined) return { command, rest: words.slice(count) }
  }
  return undefined
}

describe('the commands of the pages', () => {
  it.each(scripts)('%s can be read by a shell', (_place, text) => {
    // Readers fill in the words in angle brackets.
    const { status, stderr } = spawnSync('bash', ['-n'], {
      input: text.replaceAll(/<[^<>\n]+>/g, 'x'),
      encoding: 'utf8',
    })

    expect([status, stderr]).toEqual([0, ''])
  })

  it.each(callplane)('%s: callplane %s is a command with options that it has', (_page, line) => {
    const words = line.split(' ')
    const found = commandOf(words)
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''))
    const general = ['--help', '--json', '--domain', '--profile', '--no-color', '--version']
    const known = new Set(general.concat(found?.command.options.flatMap(({ long }) => long ?? []) ?? []))

    expect(found !== undefined || known.has(words[0] ?? ''), 'there is no such command').toBe(true)
    expect(options.filter((option) => !known.has(option))).toEqual([])
  })

  it('the manual has commands of callplane', () => {
    expect(callplane.length).toBeGreaterThan(20)
  })

  it("test files and programs that the manual's commands run exist", () => {
    const named = scripts.flatMap(([place, text]) =>
      [...text.matchAll(/(?:^|\s)((?:test|engine|local|cli)\/[\w/.-]+)/g)].map(
        ([, path = '']) => [place, path] as const,
      ),
    )

    expect(named.length).toBeGreaterThan(2)
    expect(named.filter(([, path]) => !existsSync(path))).toEqual([])
  })
})

it('the document of a domain that the manual shows can be read', () => {
  const example = snippetsOf('docs/domain-as-code.md').find(({ language }) => language === 'yaml')
  const document = parseDocument(example?.text ?? '', 'domain-as-code.md')

  expect(Object.keys(document).length).toBeGreaterThan(8)
})
