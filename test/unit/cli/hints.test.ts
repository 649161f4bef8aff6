import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { operations } from '../../../client/operations.ts'
import { createProgram } from '../../../cli/program.ts'

const folder = join(import.meta.dirname, '../../../cli')
const program = createProgram({
  stdin: new PassThrough(),
  stdout: { write: () => true },
  stderr: { write: () => true },
  env: {},
  platform: 'linux',
  home: '/nonexistent',
  signal: new AbortController().signal,
})

const hints = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('completion-scripts'))
  .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/callplane [a-z][^'`"\n;,()]*/g) ?? [])
  .filter((hint) => !/ of |\$\{/.test(hint.split(' ').slice(0, 3).join(' ')))

it('hints are found', () => {
  expect(hints.length).toBeGreaterThan(20)
})

it.each([...new Set(hints)])('the command of the hint "%s" and its options exist', (hint) => {
  const words = hint.split(' ').slice(1)
  let command: Command = program
  while (command.commands.length > 0) {
    const next: Command | undefined = command.commands.find((each) => each.name() === words[0])
    expect(next, `${command.name()} ${words[0]}`).toBeDefined()
    if (next === undefined) return
    command = next
    words.shift()
  }
  const options = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short])
  const known = new Set([...options, '--help'])
  expect(words.filter((word) => word.startsWith('-') && !known.has(word))).toEqual([])
  if (command.name() === 'api' && words[0] !== undefined) expect(Object.keys(operations)).toContain(words[0])
})
