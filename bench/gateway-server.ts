/**
 * One of the two servers that the gateway benchmark compares, as a process of its own: `gateway`, the platform's local
 * gateway in front of a function that answers at once, or `bare`, a node:http server that reads and writes the same
 * JSON. Sends its parent its address, and on request its CPU time.
 */
import { createServer } from 'node:http'
import { Gateway } from '../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../packages/laptop/gateway/route-table.ts'
import { addressOf, listen } from '../packages/laptop/processes/listen.ts'
import { tellCpuTime } from './measured-server.ts'

const answer = { status: 'OK', info: '+OK Success\n' }

async function openGateway(): Promise<string> {
  const table = new RouteTable([{ key: 'PUT /api/v2/channels/{channel_id}', target: 'holdChannel' }])
  const reply = { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) }
  const gateway = new Gateway()
  gateway.serve({
    table,
    invoke: (_, event) => Promise.resolve(hasBody(event) ? reply : { ...reply, statusCode: 400 }),
  })
  return gateway.open('127.0.0.1', 0)
}

function hasBody(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'body' in event && isJson(String(event.body))
}

function isJson(text: string): boolean {
  return typeof JSON.parse(text) === 'object'
}

async function openBare(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isRead = isJson(Buffer.concat(chunks).toString())
      response.writeHead(isRead ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  return addressOf(server)
}

const address = await (process.argv[2] === 'gateway' ? openGateway() : openBare())
tellCpuTime()
process.send?.({ address })
