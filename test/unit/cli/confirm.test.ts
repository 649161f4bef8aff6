import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { confirm } from '../../../cli/input/confirm.ts'
import type { SecretInput } from '../../../cli/terminal/terminal.ts'

/** A terminal at which some text is typed before its input ends. */
function aTerminal(typed: string, isTTY = true) {
  const stdin: SecretInput = Object.assign(new PassThrough(), { isTTY })
  stdin.push(typed)
  stdin.push(null)
  const [stdout, stderr] = [{ write: () => true }, { write: () => true }]
  return { stdin, stdout, stderr, env: {}, platform: 'linux' as const, home: '/', signal: new AbortController().signal }
}

const ask = (terminal: ReturnType<typeof aTerminal>, yes?: boolean) => confirm(terminal, 'deleting it', '1005', yes)

it('a removal is confirmed by the name of the thing, or by --yes', async () => {
  await expect(ask(aTerminal('1005\n'))).resolves.toBeUndefined()
  await expect(ask(aTerminal('', false), true)).resolves.toBeUndefined()
})

it.each([
  ['another answer', aTerminal('y\n'), 1],
  ['the end of the input', aTerminal(''), 130],
  ['no terminal', aTerminal('1005\n', false), 2],
])('an answer %s ends a removal before it begins', async (_, terminal, exitCode) => {
  await expect(ask(terminal)).rejects.toMatchObject({ exitCode })
})
