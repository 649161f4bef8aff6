import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { run } from '../../../cli/program.ts'

/** Runs a command line on a terminal that shows colours, with a home folder that has nothing in it. */
async function runOnTerminal(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  signal = new AbortController().signal,
) {
  let [stdout, stderr] = ['', '']
  const exitCode = await run(words, {
    stdin: new PassThrough(),
    stdout: { isTTY: true, write: (text) => (stdout += String(text)) },
    stderr: { isTTY: true, write: (text) => (stderr += String(text)) },
    env,
    platform: 'linux',
    home: '/nonexistent',
    signal,
  })
  return { exitCode, stdout, stderr }
}

/** Answers requests in their order, each with a body and the cursor of the next page. */
async function aPlatform(
  pages: readonly { readonly body: object; readonly cursor?: string }[],
  onRequest: (count: number) => void = () => {},
) {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    const { body = {}, cursor } = pages[asked.push(url) - 1] ?? {}
    onRequest(asked.length)
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

it('the help of a command that does not exist says so', async () => {
  expect((await runOnTerminal(['help', 'frob', '--no-color'])).stderr).toContain("error: unknown command 'frob'")
})

it('a change of a gateway that names nothing to change is refused before it is sent', async () => {
  await using platform = await aPlatform([])

  const { exitCode, stderr } = await runOnTerminal(['gateways', 'update', 'trunk'], {
    CALLPLANE_URL: platform.url,
    CALLPLANE_TOKEN: 't0ken',
  })

  expect([exitCode, platform.asked]).toEqual([2, []])
  expect(stderr).toContain('name a file, or give --password')
})

it('a simulation names the route that takes the call, those that it passes over, and reasons only where there are any', async () => {
  const considered = [
    { _id: 'a1', name: 'first', reason: 'does not match' },
    { _id: 'b2', name: 'second', reason: 'matches' },
  ]
  const steps = [
    { path: 'call', kind: 'call', application: 'set', data: 'a=b', taken: true, reason: '' },
    { path: '', kind: 'account', application: 'bridge', data: 'user/1001', taken: true, reason: '' },
    { path: 'callflow[0]', kind: 'hangup', application: 'hangup', data: '', taken: false, reason: 'it is night' },
  ]
  const matched = { kind: 'default', _id: 'b2', name: 'second' }
  const body = { status: 'OK', data: { matched, considered, steps, end: { application: 'bridge' } } }
  await using platform = await aPlatform([{ body }])

  const { stdout } = await runOnTerminal(['routes', 'simulate', '7', '--no-color'], {
    CALLPLANE_URL: platform.url,
    CALLPLANE_TOKEN: 't0ken',
  })

  expect(stdout.split('\n').slice(1, -1)).toEqual([
    '  passes over first (a1): does not match',
    '  takes second (b2): matches',
    '  runs call: set a=b',
    '  runs account: bridge user/1001',
    '  skips callflow[0] hangup: hangup (it is night)',
    'ends with bridge',
  ])
})

it('an import with a role that the domain lacks changes nothing, and its dry run says so', async () => {
  const accounts = { body: { status: 'OK', data: {} } }
  const roles = { body: { status: 'OK', info: [{ roles: 'root' }, { roles: 'user' }] } }
  await using platform = await aPlatform([accounts, roles, accounts, roles])
  const file = join(mkdtempSync(join(tmpdir(), 'callplane-import-')), 'staff.csv')
  writeFileSync(file, 'login,role,password\n1,user,secret\n2,clerk,secret\n3,root,secret\n')
  const env = { CALLPLANE_URL: platform.url, CALLPLANE_TOKEN: 't0ken' }

  const dry = await runOnTerminal(['accounts', 'import', file, '--dry-run', '--no-color'], env)
  const real = await runOnTerminal(['accounts', 'import', file, '--no-color'], env)
  rmSync(dirname(file), { recursive: true })

  for (const { exitCode, stdout } of [dry, real]) {
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^ +2 +1 +create$/m)
    expect(stdout).toMatch(/^ +3 +2 +refuse +role: there is no role "clerk" in the domain$/m)
    expect(stdout).toMatch(/^ +4 +3 +refuse +role: there is no role "root" in the domain$/m)
  }
  expect(platform.asked).toEqual(['/api/v2/accounts', '/api/v2/acl/roles', '/api/v2/accounts', '/api/v2/acl/roles'])
})

it('an import that is interrupted says how far it came and what to do', async () => {
  const interrupted = new AbortController()
  const roles = { body: { status: 'OK', info: [{ roles: 'user' }] } }
  const found = [{ body: { status: 'OK', data: {} } }, roles, { body: { status: 'OK', data: {} } }]
  await using platform = await aPlatform(found, (count) => count === 3 && interrupted.abort())
  const file = join(mkdtempSync(join(tmpdir(), 'callplane-import-')), 'staff.csv')
  writeFileSync(file, 'login,role,password\n1,user,secret\n2,user,secret\n')
  const env = { CALLPLANE_URL: platform.url, CALLPLANE_TOKEN: 't0ken' }

  const { exitCode, stderr } = await runOnTerminal(['accounts', 'import', file], env, interrupted.signal)
  rmSync(dirname(file), { recursive: true })

  expect(exitCode).toBe(130)
  expect(stderr).toContain('interrupted after 1 of 2 rows: run it again to go on')
})

it.each([
  ['create', '--event', 'DTMF', '--url', 'https://crm.example.com/'],
  ['rotate', 'aa'],
])('hooks %s prints the secret only where it is asked for, and one JSON value with --json', async (...words) => {
  const made = { ops: [{ _id: 'aa' }], insertedIds: ['aa'], secrets: { aa: 'whsec_x' }, _id: 'aa', previousUntil: 1 }
  const answer = { body: { status: 'OK', data: made } }
  await using platform = await aPlatform([answer, answer, answer, answer])
  const run = (...options: string[]) =>
    runOnTerminal(['hooks', ...words, ...options], { CALLPLANE_URL: platform.url, CALLPLANE_TOKEN: 't0ken' })

  const [text, json] = [await run('--show-secret'), await run('--json', '--show-secret')]
  const silent = [await run(), await run('--json')]

  expect(text.stdout).toContain('whsec_x\n')
  expect(JSON.parse(json.stdout)).toMatchObject({ _id: 'aa', secret: 'whsec_x' })
  expect(JSON.stringify(silent)).not.toContain('whsec_x')
})

it('a list of tokens says which are enabled', async () => {
  const row = { roleName: 'admin', expire: 0, createdBy: 'root', description: '' }
  const info = [
    { ...row, uuid: 'in-use', enabled: true },
    { ...row, uuid: 'ended', enabled: false },
  ]
  await using platform = await aPlatform([{ body: { status: 'OK', info } }])

  const { stdout } = await runOnTerminal(['tokens', 'list', '--domain', 'a.example.com', '--no-color'], {
    CALLPLANE_URL: platform.url,
    CALLPLANE_TOKEN: 't0ken',
  })

  expect(stdout).toMatch(/in-use +admin +yes/)
  expect(stdout).toMatch(/ended +admin +no/)
})
