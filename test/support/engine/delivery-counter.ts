/** A receiver of hooks that counts deliveries. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as z from 'zod/mini'

const delivery = z.object({ action: z.string(), data: z.record(z.string(), z.unknown()) })

/** The deliveries that came in, and the address for hooks. */
export interface DeliveryCounter {
  readonly url: string
  /** `<event> <uuid>` of each event, once for each id of a delivery. */
  readonly received: ReadonlyMap<string, string>
  /** How many requests came in. */
  requests(): number
  close(): Promise<void>
}

/** Opens a receiver on a free port of the loopback address. It answers 204 to everything. */
export async function openDeliveryCounter(): Promise<DeliveryCounter> {
  const received = new Map<string, string>()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      const { action, data } = delivery.parse(JSON.parse(Buffer.concat(chunks).toString()))
      received.set(String(request.headers['webhook-id']), `${action} ${String(data['Unique-ID'])}`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.parse(z.object({ port: z.int() }), server.address())
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
