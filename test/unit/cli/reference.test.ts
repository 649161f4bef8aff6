import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../cli/failure/exit.ts'
import { describedCommands, marker, reference } from '../../support/cli/reference.ts'

const page = readFileSync('docs/cli.md', 'utf8')
const commands = describedCommands()

/** The words of the examples in a help, as a shell would pass them. */
function examplesIn(help: string): readonly (readonly string[])[] {
  return [...help.matchAll(/^ {2}\$ callplane (.*)$/gm)].map(([, line = '']) =>
    [...line.replace(/ [<>] .*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
  )
}

it('docs/cli.md has the help of every command as the program prints it', () => {
  expect(page.split(`${marker}\n\n`)[1], 'run npm run docs:cli').toBe(reference())
})

it('docs/cli.md has every exit code', () => {
  for (const code of Object.values(exitCodes)) expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\|`, 'm'))
})

describe.each(commands.map(({ name, command, help }) => [name, command, help] as const))(
  '%s',
  (name, command, help) => {
    it(`${name} has a description and examples in its help`, () => {
      expect(command.description()).toMatch(/^[A-Z].*\.$/)
      expect(examplesIn(help).length).toBeGreaterThan(0)
    })

    it(`the examples of ${name} name that command, with options that it has and no password`, () => {
      const words = name.split(' ').slice(1)
      for (const example of examplesIn(help)) {
        expect(example.slice(0, words.length)).toEqual(words)
        const global = new Set(['--json', '--domain', '--profile', '--full'])
        const { operands, unknown } = command.parseOptions(example.slice(words.length))
        expect(unknown.filter((word) => word.startsWith('--') && !global.has(word))).toEqual([])
        const required = command.registeredArguments.filter((argument) => argument.required).length
        expect(operands.length + unknown.length).toBeGreaterThanOrEqual(required)
        expect(example.join(' ')).not.toMatch(/--password /)
      }
    })
  },
)
