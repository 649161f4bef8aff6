/** Prints the milliseconds of loading a bundle and of its first call: `node first-call.mjs <bundle> <token> <key>`. */
import { createRequire } from 'node:module'

const [, , file, token, key] = process.argv

const event = {
  version: '2.0',
  routeKey: 'GET /api/v2/bench',
  rawPath: '/api/v2/bench',
  rawQueryString: '',
  headers: { 'x-access-token': token, 'x-key': key },
  requestContext: {
    http: { method: 'GET', path: '/api/v2/bench', protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: '' },
    requestId: 'bench',
  },
  isBase64Encoded: false,
}

const load = createRequire(import.meta.url)
const startedAt = performance.now()
const { handler } = load(file)
const loadedAt = performance.now()
const answer = await handler(event, { getRemainingTimeInMillis: () => 28_500 })
const answeredAt = performance.now()
// The store does not know the token, so the endpoint refuses it after it has asked the store.
if (answer !== undefined && answer.statusCode !== 401) throw new Error(JSON.stringify(answer))
console.log(JSON.stringify({ loadMs: loadedAt - startedAt, callMs: answeredAt - loadedAt }))
process.exit()
