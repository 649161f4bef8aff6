// Receives the deliveries of a hook: SECRET=whsec_… PORT=9000 node examples/receiver.mjs
import { createServer } from 'node:http'
import { terminalText, verifyDelivery } from 'callplane-client'

const secret = process.env.SECRET ?? ''
const mostBytes = 1024 * 1024
const mostIds = 10_000
const seen = new Set()

if (Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length === 0) {
  console.error('SECRET must be the secret of a hook: whsec_ and base64')
  process.exit(1)
}

/** Resolves with the body, or with nothing as soon as it is too large; the rest is then dropped. */
function bodyOf(request) {
  const chunks = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes > mostBytes) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
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
  // Names of callers come from strangers: nothing of them acts on the terminal.
  if (isNew(headers['webhook-id'])) console.log(terminalText(body.toString()))
  return 204
}

const server = createServer((request, response) => {
  void bodyOf(request)
    .then((body) => answerTo(request, body))
    .catch(() => 400)
    .then((status) => response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end())
})
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log(`receiving on http://127.0.0.1:${server.address().port}`)
})
