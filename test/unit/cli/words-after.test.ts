import { expect, it } from 'vitest'
import { wordsAfter } from '../../../cli/completion/words-after.ts'
import { createProgram } from '../../../cli/program.ts'

const stream = { write: () => true }
const { signal } = new AbortController()
const program = createProgram({
  stdin: process.stdin,
  stdout: stream,
  stderr: stream,
  env: {},
  platform: 'linux',
  home: '/',
  signal,
})
const after = (...words: string[]) => wordsAfter(program, words).map((line) => line.split('\t')[0])

it.each([
  ['a part of a command', ['chann'], ['channels']],
  ['a part of a command below another', ['hooks', 'del'], ['delete', 'deliveries']],
  ['the name of an option', ['cdr', 'search', '--le'], ['--leg']],
  ['an option of every command', ['cdr', 'search', '--prof'], ['--profile']],
  ['an option with a list of values', ['cdr', 'search', '--leg', ''], ['a', 'b', '*']],
  ['an option with any value', ['cdr', 'search', '--from', ''], []],
  ['a command with a list of arguments', ['completion', ''], ['bash', 'zsh', 'fish']],
  ['an unknown word', ['cdr', 'get', '$(touch x)', ''], []],
])('%s is completed', (_what, words, expected) => {
  expect(after(...words)).toEqual(expected)
})

it('the commands are completed with what they are about, and hidden ones are not', () => {
  const lines = wordsAfter(program, [''])

  expect(lines).toContain('channels\tChannels, the sides of live calls.\n')
  expect(lines.filter((line) => line.startsWith('complete\t'))).toEqual([])
})
