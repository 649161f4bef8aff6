/** The proxy that the environment names, as the program is started by its users. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addressOf, listen } from '../../../packages/laptop/processes/listen.ts'

const whoAmI = { id: 'x', domain: 'a.example.com', role: 1, roleName: 'admin', acl: {}, expires: 1 }
const servers: Server[] = []
let platform = ''
let proxy = ''
/** The hosts that the proxy was asked for. */
let proxied: string[] = []

async function serve(server: Server): Promise<string> {
  servers.push(server)
  await listen(server, { host: '127.0.0.1', port: 0 })
  return `http://${addressOf(server)}`
}

beforeAll(async () => {
  const answer = JSON.stringify({ ...whoAmI, cdr: { host: 'http://h', useProxy: 'true' } })
  platform = await serve(
    createServer((_request, response) => response.setHeader('content-type', 'application/json').end(answer)),
  )
  const tunnels = createServer()
  tunnels.on('connect', ({ url = '' }, socket) => {
    proxied.push(url)
    const onward = connect(Number(new URL(platform).port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    onward.pipe(socket).pipe(onward)
  })
  proxy = await serve(tunnels)
})
beforeEach(() => {
  proxied = []
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function run(file: string, words: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env
  const given = { PATH, HOME: tmpdir(), CALLPLANE_URL: platform, CALLPLANE_TOKEN: 't0ken', ...env }
  const child = spawn(process.execPath, [file, ...words], { env: given, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks = child.stdout.toArray()
  const [status] = await once(child, 'close')
  return { status, text: (await chunks).join('') }
}

/** The platform's address by a name that only the proxy leads to. */
const distant = () => platform.replace('127.0.0.1', '127.0.0.2')

it.each(['HTTP_PROXY', 'http_proxy'])('the program asks the platform through the proxy of %s', async (name) => {
  const env = { [name]: proxy, CALLPLANE_URL: distant() }

  const { status, text } = await run('cli/callplane.mjs', ['whoami', '--json'], env)

  expect(status).toBe(0)
  expect(text).toContain('a.example.com')
  expect(proxied).toEqual([new URL(distant()).host])
})

it.each(['NO_PROXY', 'no_proxy'])('the program asks a host of %s directly', async (name) => {
  const { status } = await run('cli/callplane.mjs', ['whoami'], {
    HTTP_PROXY: proxy,
    CALLPLANE_URL: distant(),
    [name]: '127.0.0.2',
  })

  expect([status === 0, proxied]).toEqual([false, []])
})

it('the program asks a platform on its own machine directly, so that no proxy sees a password', async () => {
  const { status } = await run('cli/callplane.mjs', ['whoami'], { HTTP_PROXY: proxy, NO_PROXY: 'other.example.com' })

  expect([status, proxied]).toEqual([0, []])
})

it('events are forwarded to their receiver directly', async () => {
  const program = `
    import { forward } from './cli/listen/forward.ts'
    const event = { sequence: 1, at: 1, name: 'DTMF', uuid: '', event: {} }
    const target = { url: '${platform}/hook', key: 'k', secret: 'whsec_AAAA', onRetry: () => {} }
    const { status } = await forward(event, target, new AbortController().signal)
    console.log(status)`

  const { text } = await run('--input-type=module', ['--eval', program], { HTTP_PROXY: proxy, NODE_USE_ENV_PROXY: '1' })

  expect([text.trim(), proxied]).toEqual(['200', []])
})
