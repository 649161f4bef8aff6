import { once } from 'node:events'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ObjectBackend } from '../../../packages/laptop/gate/gate.ts'
import { forwardObjects } from '../../../packages/laptop/stores/objects/forward-objects.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

const signer = { accessKeyId: 'local', secretAccessKey: 'local' }

let seen: { method: string; url: string; headers: IncomingHttpHeaders }[] = []

const upstream = createServer(({ method = '', url = '', headers }, response) => {
  seen.push({ method, url, headers })
  response.writeHead(200).end('sound')
})
let forward: ObjectBackend
const gate = createServer((request, response) => {
  void forward({ request, payloadHash: 'UNSIGNED-PAYLOAD', mayList: () => true }, response)
})
const ports: number[] = []

beforeAll(async () => {
  for (const server of [upstream, gate]) {
    const port = await freePort()
    ports.push(port)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  forward = forwardObjects(`http://127.0.0.1:${ports[0]}`, signer)
})
beforeEach(() => {
  seen = []
})
afterAll(() => {
  for (const server of [upstream, gate]) {
    server.closeAllConnections()
    server.close()
  }
})

it('a link to an object is forwarded with a new signature, and spaces in it do not become plus signs', async () => {
  const asked = 'response-content-disposition=attachment%3B%20filename%3D%22a%2Bb.wav%22'
  const link = `/recordings/a%20b?${asked}&X-Amz-Credential=c&X-Amz-Signature=s&X-Amz-Expires=300`

  const answer = await fetch(`http://127.0.0.1:${ports[1]}${link}`)

  expect(await answer.text()).toBe('sound')
  expect(seen).toMatchObject([{ method: 'GET', url: `/recordings/a%20b?${asked}` }])
  expect(seen[0]?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/[a-z0-9-]+\/s3\//)
})

it.each(['//other.invalid/recordings/a?x=1', 'http://other.invalid/recordings/a?x=1'])(
  'a link whose target is %s is forwarded to the store alone',
  async (target) => {
    const socket = connect(ports[1] ?? 0, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
    socket.resume()
    await once(socket, 'close')

    expect(seen.map(({ url }) => url)).toEqual([target.replace('http://other.invalid', '')])
  },
)
