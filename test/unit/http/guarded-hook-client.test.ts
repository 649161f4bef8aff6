import type { Timers } from '../../../core/concurrency/timers.ts'
import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import type { HookRequest } from '../../../core/hooks/request/hook-client.ts'
import { type HookSink, type SinkScript, startHookSink } from '../../support/hooks/hook-sink.ts'

const fixture = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const one of opened.splice(0)) await one.close()
})

async function aSink(script?: SinkScript, certificate?: string): Promise<HookSink> {
  const tls = certificate === undefined ? undefined : { key: fixture('sink.key'), cert: fixture(certificate) }
  const sink = await startHookSink(script, tls)
  opened.push(sink)
  return sink
}

/** A scheduler whose time passes when the test says so, by the length of the wait. */
function heldTime(): { timers: Timers; elapse(ms: number): void } {
  const held = new Set<{ ms: number; run: () => void }>()
  return {
    timers: {
      after(ms, run) {
        const entry = { ms, run }
        held.add(entry)
        return () => held.delete(entry)
      },
    },
    elapse(ms) {
      for (const entry of held) {
        if (entry.ms > ms) continue
        held.delete(entry)
        entry.run()
      }
    },
  }
}

interface ClientSetup {
  readonly allowed?: string
  readonly names?: Readonly<Record<string, readonly string[]>>
  readonly resolve?: (hostname: string) => Promise<LookupAddress[]>
  readonly timers?: Timers
  readonly authorities?: string
  readonly replyBytes?: number
}

const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 })

function aClient(setup: ClientSetup = {}) {
  const asked: string[] = []
  const client = hookClientOver({
    clock: { now: () => 0 },
    guard: addressGuard(setup.allowed ?? '127.0.0.0/8'),
    resolve: async (hostname) => {
      asked.push(hostname)
      if (setup.resolve !== undefined) return setup.resolve(hostname)
      const found = setup.names?.[hostname]
      if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return found.map(address)
    },
    timers: setup.timers ?? heldTime().timers,
    limits: { ...hookClientLimits, replyBytes: setup.replyBytes ?? hookClientLimits.replyBytes },
    ...(setup.authorities === undefined ? {} : { authorities: setup.authorities }),
  })
  opened.push(client)
  return { send: (request: HookRequest) => client.send(request), asked }
}

const aRequest = (url: string, overrides: Partial<HookRequest> = {}): HookRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
  body: '{"a":"č"}',
  ...overrides,
})

describe('a request', () => {
  it('a request arrives with its method, path, query, headers and body as given', async () => {
    const sink = await aSink()

    const reply = await aClient().send(aRequest(sink.url('/in?x=1')))

    expect(reply).toMatchObject({ outcome: 'answered', status: 200, body: 'ok' })
    expect(sink.requests).toHaveLength(1)
    expect(sink.requests[0]).toMatchObject({ method: 'POST', target: '/in?x=1', body: '{"a":"č"}' })
    expect(sink.requests[0]?.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-length': '10' })
  })

  it.each(['GET', 'DELETE'])('a %s request of a hook without a body has none on the wire', async (method) => {
    const sink = await aSink()

    await aClient().send(aRequest(sink.url(), { method, body: '', headers: {} }))

    expect(sink.requests[0]).toMatchObject({ method, body: '' })
  })

  it.each(['GET', 'DELETE', 'PATCH', 'PUT'])(
    'a %s request of a hook carries a body when it has one',
    async (method) => {
      const sink = await aSink()

      await aClient().send(aRequest(sink.url(), { method, body: '{}' }))

      expect(sink.requests[0]).toMatchObject({ method, body: '{}' })
    },
  )

  it('a request reuses an idle connection', async () => {
    const sink = await aSink()
    const client = aClient()

    for (let sent = 0; sent < 5; sent += 1) {
      await client.send(aRequest(sink.url()))
      await setImmediate()
    }

    expect(sink.requests).toHaveLength(5)
    expect(sink.connections()).toBe(1)
  })
})

describe('a forbidden address', () => {
  it('a forbidden literal address gets no connection', async () => {
    const sink = await aSink()

    const reply = await aClient({ allowed: '' }).send(aRequest(sink.url()))

    expect(reply).toEqual({ outcome: 'failed', reason: 'blocked address', durationMs: 0 })
    expect(sink.connections()).toBe(0)
  })

  it.each(['[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '[::1]'])(
    'a forbidden address written as %s gets no connection',
    async (host) => {
      const sink = await aSink()

      const reply = await aClient({ allowed: '' }).send(aRequest(`http://${host}:${sink.port}/`))

      expect(reply).toMatchObject({ reason: 'blocked address' })
      expect(sink.connections()).toBe(0)
    },
  )

  it('a name with a forbidden address gets no connection', async () => {
    const sink = await aSink()
    const client = aClient({ allowed: '', names: { 'hooks.example.com': ['127.0.0.1'] } })

    const reply = await client.send(aRequest(`http://hooks.example.com:${sink.port}/`))

    expect(reply).toMatchObject({ reason: 'blocked address' })
    expect(sink.connections()).toBe(0)
  })

  it('a forbidden address next to a permitted one makes the name forbidden', async () => {
    const sink = await aSink()
    const client = aClient({ names: { 'two.example.com': ['127.0.0.1', '10.0.0.1'] } })

    const reply = await client.send(aRequest(`http://two.example.com:${sink.port}/`))

    expect(reply).toMatchObject({ reason: 'blocked address' })
    expect(sink.connections()).toBe(0)
  })

  it.each([22, 25, 53, 3389, 8021])('the port %i is refused on permitted addresses too', async (port) => {
    const client = aClient()

    expect(await client.send(aRequest(`http://127.0.0.1:${port}/`))).toMatchObject({ reason: 'blocked address' })
  })
})

describe('an answer', () => {
  it('a response in pieces is read up to the exact byte of the limit', async () => {
    const piece = (letter: string): string => `258\r\n${letter.repeat(600)}\r\n`
    const sink = await aSink((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${piece('a')}${piece('b')}${piece('c')}`)
    })

    const reply = await aClient({ replyBytes: 1000 }).send(aRequest(sink.url()))

    expect(reply).toMatchObject({ outcome: 'answered', body: 'a'.repeat(600) + 'b'.repeat(400) })
  })

  it('a compressed response is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const sink = await aSink((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    })

    const reply = await aClient({ replyBytes: 1000 }).send(aRequest(sink.url()))

    expect(reply).toMatchObject({ outcome: 'answered', status: 200 })
    expect(reply.outcome === 'answered' && reply.body.length).toBeLessThanOrEqual(1000)
  })

  it('a response that is not HTTP is a network failure', async () => {
    const sink = await aSink((socket) => socket.end('SSH-2.0-x\r\n'))

    expect(await aClient().send(aRequest(sink.url()))).toMatchObject({ outcome: 'failed', reason: 'network' })
  })

  it('a response that breaks off is a network failure', async () => {
    const sink = await aSink((socket) => socket.destroy())

    expect(await aClient().send(aRequest(sink.url()))).toMatchObject({ outcome: 'failed', reason: 'network' })
  })

  it('each cookie of a response is returned on a line of its own', async () => {
    const sink = await aSink((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nset-cookie: b=2\r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n',
      )
    })

    const reply = await aClient().send(aRequest(sink.url()))

    expect(reply).toMatchObject({ headers: { 'set-cookie': 'a=1; Path=/\nb=2', 'x-a': '1, 2' } })
  })
})

describe('a connection', () => {
  it('a name without an address is a failure of the name', async () => {
    const client = aClient({ names: {} })

    expect(await client.send(aRequest('http://gone.example.com/'))).toMatchObject({ reason: 'dns' })
  })

  it('a name with an empty DNS answer is a failure of the name', async () => {
    const client = aClient({ names: { 'empty.example.com': [] } })

    expect(await client.send(aRequest('http://empty.example.com/'))).toMatchObject({ reason: 'dns' })
  })

  it('a name that never resolves is given up at the limit for connecting', async () => {
    const time = heldTime()
    const client = aClient({
      timers: time.timers,
      resolve: () => {
        queueMicrotask(() => time.elapse(hookClientLimits.connectMs))
        return new Promise(() => undefined)
      },
    })

    expect(await client.send(aRequest('http://slow.example.com/'))).toMatchObject({ reason: 'timeout' })
  })

  it('a refused connection is a network failure', async () => {
    const sink = await startHookSink()
    await sink.close()

    expect(await aClient().send(aRequest(sink.url()))).toMatchObject({ outcome: 'failed', reason: 'network' })
  })
})

describe('TLS', () => {
  const names = { 'sink.example.com': ['127.0.0.1'] }
  const authorities = fixture('ca.pem')

  it('a request over TLS with a certificate of a known authority for this name is delivered', async () => {
    const sink = await aSink(undefined, 'valid.pem')

    const reply = await aClient({ names, authorities }).send(aRequest(`https://sink.example.com:${sink.port}/`))

    expect(reply).toMatchObject({ outcome: 'answered', status: 200 })
  })

  it.each(['expired.pem', 'other-name.pem', 'self-signed.pem'])(
    'a request over TLS with %s sends nothing',
    async (certificate) => {
      const sink = await aSink(undefined, certificate)

      const reply = await aClient({ names, authorities }).send(aRequest(`https://sink.example.com:${sink.port}/`))

      expect(reply).toMatchObject({ outcome: 'failed', reason: 'tls' })
      expect(sink.requests).toHaveLength(0)
    },
  )

  it('nothing is sent over TLS to a certificate of an unknown authority, whatever the environment says', async () => {
    const sink = await aSink(undefined, 'valid.pem')
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')

    const reply = await aClient({ names }).send(aRequest(`https://sink.example.com:${sink.port}/`))

    expect(reply).toMatchObject({ outcome: 'failed', reason: 'tls' })
    expect(sink.requests).toHaveLength(0)
  })

  it('no TLS connection is opened to a name with a forbidden address', async () => {
    const sink = await aSink(undefined, 'valid.pem')
    const client = aClient({ allowed: '', names, authorities })

    const reply = await client.send(aRequest(`https://sink.example.com:${sink.port}/`))

    expect(reply).toMatchObject({ outcome: 'failed', reason: 'blocked address' })
    expect(sink.connections()).toBe(0)
  })
})

it('a proxy that the environment names is not used', async () => {
  const proxy = await aSink()
  const sink = await aSink()
  vi.stubEnv('HTTP_PROXY', proxy.url())

  await aClient().send(aRequest(sink.url()))

  expect(proxy.connections()).toBe(0)
  expect(sink.requests).toHaveLength(1)
})
