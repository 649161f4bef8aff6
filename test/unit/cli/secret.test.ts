import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askSecret, readSecret } from '../../../cli/input/secret.ts'
import type { SecretInput } from '../../../cli/terminal/terminal.ts'

/** A keyboard on which some text was typed, and all that the terminal showed. */
function aKeyboard(typed: string, isTTY = true) {
  const modes: boolean[] = []
  let shown = ''
  const stdin: SecretInput = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (mode: boolean) => modes.push(mode),
  })
  stdin.push(typed)
  stdin.push(null)
  const stderr = { write: (text: string | Uint8Array) => (shown += String(text)) }
  return { terminal: { stdin, stderr, signal: new AbortController().signal }, modes, shown: () => shown }
}

it('a secret is asked for without showing it, corrections included, and the terminal is as before', async () => {
  const { terminal, modes, shown } = aKeyboard('pasX\u007fs wörd\rrest')

  expect(await askSecret(terminal, 'Password: ', 'pipe it')).toBe('pass wörd')
  expect(shown()).toBe('Password: \n')
  expect(modes).toEqual([true, false])
})

it.each(['abc\u0003', '\u0004'])(
  '%j while a secret is asked for ends the command, and the terminal is as before',
  async (typed) => {
    const { terminal, modes } = aKeyboard(typed)

    await expect(askSecret(terminal, 'Password: ', 'pipe it')).rejects.toMatchObject({ exitCode: 130 })
    expect(modes).toEqual([true, false])
  },
)

it('a secret is not asked for if standard input is no terminal, and the error names the way out', async () => {
  const { terminal, shown } = aKeyboard('secret\n', false)

  await expect(askSecret(terminal, 'Password: ', 'give --password-stdin')).rejects.toThrow(/give --password-stdin/)
  expect(shown()).toBe('')
})

it.each([
  ['secret\nmore', 'secret'],
  ['secret\r\n', 'secret'],
  [' with spaces ', ' with spaces '],
])('the secret in the standard input %j is %j', async (text, secret) => {
  expect(await readSecret(aKeyboard(text, false).terminal)).toBe(secret)
})

it.each(['', '\nsecond', 'x'.repeat(5000)])('standard input that begins with %j has no secret', async (text) => {
  await expect(readSecret(aKeyboard(text, false).terminal)).rejects.toMatchObject({ exitCode: 2 })
})

it('a byte order mark is no part of a secret that comes from standard input', async () => {
  expect(await readSecret(aKeyboard('\ufeffp\u00e4ss w\u00f6rd \r\nmore', false).terminal)).toBe('p\u00e4ss w\u00f6rd ')
})

it('a secret from standard input that is not UTF-8 is refused', async () => {
  const { terminal } = aKeyboard('', false)
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  stdin.end(Buffer.from('p\u00e4ss\n', 'latin1'))

  await expect(readSecret({ ...terminal, stdin })).rejects.toThrow('is not UTF-8')
})
