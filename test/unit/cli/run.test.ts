import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { run } from '../../../cli/program.ts'

/** Runs a command line on a terminal that shows colours, with a home folder that has nothing in it. */
async function runOnTerminal(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let [stdout, stderr] = ['', '']
  const exitCode = await run(words, {
    stdin: new PassThrough(),
    stdout: { isTTY: true, write: (text) => (stdout += String(text)) },
    stderr: { isTTY: true, write: (text) => (stderr += String(text)) },
    env,
    platform: 'linux',
    home: '/nonexistent',
    signal: new AbortController().signal,
  })
  return { exitCode, stdout, stderr }
}

it.each([
  ['http://api.example.com', 'would send the token in clear text: use https://'],
  ['https://me:s3cret@api.example.com', 'must not contain a user name or a password'],
  ['api.example.com', 'must be an address such as https://api.example.com'],
])('a static token is not sent to the address %s of the environment', async (url, problem) => {
  const { exitCode, stderr } = await runOnTerminal(['whoami'], { CALLPLANE_URL: url, CALLPLANE_TOKEN: 't0ken' })

  expect(exitCode).toBe(2)
  expect(stderr).toContain(problem)
  expect(stderr).not.toMatch(/t0ken|s3cret/)
})

it('a failure is shown without colours where --no-color is given', async () => {
  const [coloured, plain] = [await runOnTerminal(['nonsense']), await runOnTerminal(['nonsense', '--no-color'])]

  expect(coloured.stderr).toContain('\u001b[31m')
  expect(plain.stderr).not.toContain('\u001b')
})
