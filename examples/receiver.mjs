// Receives the deliveries of a hook: SECRET=whsec_… PORT=9000 node examples/receiver.mjs
import { createServer } from 'node:http'
import { verifyDelivery } from 'callplane-client'

const secret = process.env.SECRET ?? ''
const mostBytes = 1024 * 1024
const mostIds = 10_000
const seen = new Set()

async function bodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Remembers an id; returns whether it is a new one. The oldest is forgotten. */
function isNew(id) {
  if (seen.has(id)) return false
  seen.add(id)
  if (seen.size > mostIds) seen.delete(seen.values().next().value)
  return true
}

async function answerTo({ headers }, body) {
  if (body === undefined) return 413
  if (!(await verifyDelivery({ headers, body }, { secret }))) return 401
  if (isNew(headers['webhook-id'])) console.log(body.toString())
  return 204
}

const server = createServer((request, response) => {
  void bodyOf(request)
    .then((body) => answerTo(request, body))
    .catch(() => 400)
    .then((status) => response.writeHead(status).end())
})
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log(`receiving on http://127.0.0.1:${server.address().port}`)
})
