import { once } from 'node:events'
import { createServer } from 'node:http'
import * as z from 'zod/mini'

/** One request that a hook sent. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A receiver of hook deliveries on this machine. */
export interface Receiver {
  readonly url: string
  /** The next request whose event has this name; fails after ten seconds, or as soon as `stop` is aborted. */
  next(eventName: string, stop?: AbortSignal): Promise<ReceivedRequest>
  close(): Promise<void>
}

const waitMs = 10_000
/** More than a demo ever gets; whatever comes after is dropped. */
const mostWaiting = 1000

/** Opens a receiver on a free port of the loopback address. It answers 204 to everything. */
export async function openReceiver(): Promise<Receiver> {
  const waiting: ReceivedRequest[] = []
  const arrivals = new EventTarget()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      if (waiting.length < mostWaiting)
        waiting.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      arrivals.dispatchEvent(new Event('arrival'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.parse(z.object({ port: z.int() }), server.address())
  return {
    url: `http://127.0.0.1:${port}/events`,
    async next(eventName, stop) {
      const timeout = AbortSignal.timeout(waitMs)
      const signal = stop === undefined ? timeout : AbortSignal.any([stop, timeout])
      for (;;) {
        const index = waiting.findIndex((request) => eventNameOf(request) === eventName)
        const [found] = index === -1 ? [] : waiting.splice(index, 1)
        if (found !== undefined) return found
        await once(arrivals, 'arrival', { signal }).catch(() => {
          throw new Error(`no ${eventName} arrived at the receiver within ${waitMs / 1000} s`)
        })
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function eventNameOf(request: ReceivedRequest): unknown {
  return z.parse(z.object({ action: z.unknown() }), JSON.parse(request.body)).action
}
