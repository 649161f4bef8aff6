import { once } from 'node:events'
import { createServer } from 'node:http'
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

/** Answers requests in their order, each with a body and the cursor of the next page. */
async function aPlatform(pages: readonly { readonly body: object; readonly cursor?: string }[]) {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    const { body = {}, cursor } = pages[asked.push(url) - 1] ?? {}
    response.setHeaders(new Map(cursor === undefined ? [] : [['x-next-cursor', cursor]]))
    response.end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { url, asked, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

it('a list of hooks that comes in several pages is shown whole', async () => {
  const page = (_id: string) => ({ status: 'OK', data: [{ _id, event: 'DTMF', enable: true }] })
  await using platform = await aPlatform([{ body: page('first'), cursor: 'c1' }, { body: page('second') }])

  const { exitCode, stdout } = await runOnTerminal(['hooks', 'list', '--json'], {
    CALLPLANE_URL: platform.url,
    CALLPLANE_TOKEN: 't0ken',
  })

  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ _id: 'first' }, { _id: 'second' }])
  expect(platform.asked).toEqual(['/api/v2/hooks', '/api/v2/hooks?cursor=c1'])
})

it('root must name the domain of a command', async () => {
  await using platform = await aPlatform([{ body: { id: 'root', domain: '' } }])

  const { exitCode, stderr } = await runOnTerminal(['export'], {
    CALLPLANE_URL: platform.url,
    CALLPLANE_TOKEN: 't0ken',
  })

  expect(exitCode).toBe(2)
  expect(stderr).toContain('root belongs to no domain: name one with --domain <name>')
})

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
