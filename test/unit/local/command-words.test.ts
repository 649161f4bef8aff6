import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { breadth } from '../../support/breadth.ts'
import { startCommand } from '../../support/platform/command.ts'

const commands = [
  ['npm start', 'local/start.mjs'],
  ['npm run demo', 'local/demo.ts'],
  ['npm run check', 'test/support/check.mjs'],
  ['npm run engine:check', 'local/check-engine.ts'],
  ['npm run openapi', 'test/support/api/openapi-file.ts'],
] as const

const end = (file: string, ...words: string[]) =>
  startCommand(process.execPath, [file, ...words], { cwd: process.cwd() }).ended()

it.each(breadth(commands.slice(0, 2), [...commands]))(
  '%s refuses an option that it does not have, and does nothing else',
  async (name, file) => {
    const { status, output } = await end(file, '--unknown=planted')

    expect(status).toBe(2)
    expect(output.trim()).toBe(`${name} has no option --unknown; ${name} -- --help shows what it takes`)
  },
)

it.each(breadth(commands.slice(0, 2), [...commands]))(
  '%s refuses stray words, which may be secrets, without repeating them',
  async (name, file) => {
    const { status, output } = await end(file, 'ROOT_PASSWORD=planted')

    expect(status).toBe(2)
    expect(output.trim()).toBe(`${name} takes no words; ${name} -- --help shows what it takes`)
  },
)

/** The commands of package.json as a person calls them, and what runs. */
const scripts = Object.entries(JSON.parse(readFileSync('package.json', 'utf8')).scripts as Record<string, string>).map(
  ([name, command]) => [['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`, command] as const,
)

it.each(breadth(scripts.slice(0, 4), scripts))('%s -- --help prints the usage and ends well', async (name, command) => {
  const [, ...words] = command.split(' ')
  const { status, output } = await startCommand(process.execPath, [...words, '--help'], { cwd: process.cwd() }).ended()

  expect(status).toBe(0)
  // The last one hands its words to the CDK.
  expect(output.startsWith(name === 'npm run synth' ? 'cdk synth' : name)).toBe(true)
})

it('npm start exits before starting anything when a setting is wrong, and names the setting without its value', async () => {
  const { status, output } = await startCommand(process.execPath, ['local/main.ts'], {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], PORT: 'planted' },
  }).ended()

  expect(status).toBe(1)
  expect(output.trim()).toBe('callplane: PORT must be a whole number from 0 to 65535')
})

it('npm run demo exits when the port is wrong, and names the variable without its value', async () => {
  const { status, output } = await startCommand(process.execPath, ['local/demo.ts'], {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], PORT: 'planted' },
  }).ended()

  expect(status).toBe(1)
  expect(output.trim()).toBe('demo failed: PORT must be a whole number from 0 to 65535')
})
