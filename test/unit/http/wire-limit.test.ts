import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import { ResponseTooLarge } from '../../../adapters/http/send-errors.ts'
import { limitWire } from '../../../adapters/http/wire-limit.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'

const fixture = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/**
 * The data of a hostile receiver: a beginning once, and the same piece again and again until its connection is closed.
 */
interface Flood {
  readonly first: string
  readonly piece: string | Buffer
}

/** Waits at most for what the system buffers between two sockets of this machine, whatever the client does. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => {
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/**
 * Bytes after which a flood ends by itself, so that a client without a limit fails its test instead of reading for
 * ever.
 */
const floodBytes = 100 * hookClientLimits.wireBytes

/**
 * Sends a flood for as long as the connection takes it, at most {@link floodBytes}; calls `ended` when the connection
 * is gone.
 */
function flooding({ first, piece }: Flood, ended: () => void): (socket: Socket) => void {
  return (socket) => {
    socket.on('error', () => undefined)
    socket.on('close', ended)
    socket.once('data', () => {
      socket.write(first)
      let left = floodBytes
      const pour = (): void => {
        while (!socket.destroyed && left > 0) {
          left -= piece.length
          if (!socket.write(piece)) break
        }
        if (left <= 0) socket.destroy()
      }
      socket.on('drain', pour)
      pour()
    })
  }
}

/** Sends one request to a receiver that floods; what came of it, and how many bytes the client took from the wire. */
async function meet(flood: Flood, secure = false): Promise<{ reply: HookReply; taken: number }> {
  const gone = Promise.withResolvers<void>()
  const accept = flooding(flood, gone.resolve)
  const keys = { key: fixture('sink.key'), cert: fixture('valid.pem') }
  const port = await listen(secure ? createTlsServer(keys, accept) : createServer(accept))
  const opened: Socket[] = []
  const note = (message: unknown) => opened.push((message as { socket: Socket }).socket)
  const sockets = channel('net.client.socket')
  sockets.subscribe(note)
  closers.push(async () => {
    sockets.unsubscribe(note)
  })
  const client = hookClientOver({
    clock: { now: () => 0 },
    guard: addressGuard('127.0.0.0/8'),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    // Time stands still: only a limit of bytes can end a flood.
    timers: { after: () => () => undefined },
    limits: hookClientLimits,
    authorities: fixture('ca.pem'),
  })
  closers.push(() => client.close())
  const url = `${secure ? 'https' : 'http'}://sink.example.com:${port}/`
  const reply = await client.send({ method: 'POST', url, headers: {}, body: '{}' })
  await gone.promise
  return { reply, taken: opened.reduce((sum, { bytesRead }) => sum + bytesRead, 0) }
}

/** The limit, what a single read of a socket may hold beyond it, and as much again for the handshake of TLS. */
const most = 3 * hookClientLimits.wireBytes
const head = 'HTTP/1.1 200 OK\r\n'
const filler = 'x'.repeat(4_000)

const floods: Readonly<Record<string, Flood>> = {
  'chunk extensions': { first: `${head}transfer-encoding: chunked\r\n\r\n`, piece: `1;${filler}\r\na\r\n` },
  'the extension of one chunk': { first: `${head}transfer-encoding: chunked\r\n\r\n1;`, piece: filler },
  'interim answers': { first: '', piece: `HTTP/1.1 103 Early Hints\r\nlink: ${filler}\r\n\r\n` },
  'small interim answers': { first: '', piece: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100) },
  headers: { first: head, piece: `x-a: ${filler}\r\n` },
  'one header': { first: `${head}x-a: `, piece: filler },
  trailers: { first: `${head}transfer-encoding: chunked\r\n\r\n0\r\n`, piece: `x-a: ${filler}\r\n` },
  'a body': { first: `${head}\r\n`, piece: filler },
  'compressed bytes': {
    first: `${head}content-encoding: gzip\r\n\r\n`,
    piece: gzipSync(Buffer.alloc(10_000_000)),
  },
}

test.each(Object.keys(floods))('a receiver that sends %s without end is cut off after 64 KiB', async (name) => {
  const { taken } = await meet(floods[name] ?? { first: '', piece: '' })

  expect(taken).toBeLessThanOrEqual(most)
})

test.each(Object.keys(floods))(
  'a receiver that sends %s without end over TLS is cut off after 64 KiB',
  async (name) => {
    const { taken } = await meet(floods[name] ?? { first: '', piece: '' }, true)

    expect(taken).toBeLessThanOrEqual(most)
  },
)

test('a receiver that sends small TLS records is cut off by the bytes on the wire and not by those of the body', async () => {
  const byRecord: Flood = { first: `${head}\r\n`, piece: 'x'.repeat(16) }

  const { reply, taken } = await meet(byRecord, true)

  expect(taken).toBeLessThanOrEqual(most)
  expect(reply).toMatchObject({ outcome: 'answered', status: 200 })
})

test('a response whose chunk extensions exceed the limit counts by its status', async () => {
  const { reply } = await meet(floods['chunk extensions'] ?? { first: '', piece: '' })

  expect(reply).toMatchObject({ outcome: 'answered', status: 200, body: expect.stringMatching(/^a+$/) })
})

test('a receiver that sends interim responses without end fails the attempt as a network failure', async () => {
  const { reply } = await meet(floods['interim answers'] ?? { first: '', piece: '' })

  expect(reply).toMatchObject({ outcome: 'failed', reason: 'network' })
})

test('a connection with a limit of ten bytes stays open after the tenth byte and ends with the eleventh', async () => {
  const socket = new Socket()
  const ended = once(socket, 'error')
  const meter = limitWire(socket, 10)
  const read = (bytes: number) => socket.push(Buffer.alloc(bytes))

  read(4)
  read(6)
  await setImmediate()
  expect(socket.destroyed).toBe(false)
  meter.reset()
  read(10)
  await setImmediate()
  expect(socket.destroyed).toBe(false)
  read(1)

  expect(await ended).toEqual([new ResponseTooLarge()])
})
