import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { readEngines, refuseMisconfigured } from '../../../local/platform/read-engines.ts'
import { unreachableNote } from '../../../local/platform/startup-report.ts'
import { EngineWatch } from '../../../local/platform/watch-engines.ts'
import { listen, addressOf } from '../../../packages/laptop/processes/listen.ts'

const name = '10.0.0.5:8021'
const online = { name, online: true, reason: undefined }
const offline = { name, online: false, problem: 'engine unreachable', reason: 'unreachable' }

it('an engine that goes offline is reported once for each cause, and once when it is online again', () => {
  const lines: string[] = []
  const watch = new EngineWatch('http://127.0.0.1:1/health', (line) => void lines.push(line))
  const unknown = { name, online: false, reason: undefined }
  const refused = { ...offline, problem: 'engine refuses the password', reason: 'auth-refused' }

  for (const state of [unknown, online, offline, offline, unknown, offline, refused, online, online]) watch.see(state)

  expect(lines).toEqual([
    `engine ${name} is offline (engine unreachable); /health answers 503 until it is online`,
    `engine ${name} is offline (engine refuses the password); /health answers 503 until it is online`,
    `engine ${name} is online`,
  ])
})

it('an engine that refuses the password ends the start, and one that is merely away does not', () => {
  expect(() => refuseMisconfigured([online, offline])).not.toThrow()
  expect(() => refuseMisconfigured([online, { ...offline, reason: 'auth-refused' }])).toThrow(
    `the engine at ${name} refuses the password of ENGINE_URL`,
  )
})

it("the state of the engines is unknown while the connector's answer is not a health report", async () => {
  const server = createServer((_request, response) => void response.end('not the connector'))
  await listen(server, { host: '127.0.0.1', port: 0 })

  expect(await readEngines(`http://${addressOf(server)}/health`)).toBeUndefined()
  server.close()
})

it.each([
  ['127.0.0.1', '10.0.0.5', ['10.0.0.5 cannot reach /engine/* on 127.0.0.1: set HOST to an address that it reaches']],
  ['127.0.0.1', '127.0.0.1', []],
  ['127.0.0.1', 'localhost', []],
  ['0.0.0.0', '10.0.0.5', []],
])('the start says whether the API on %s can be reached by an engine on %s', (host, engine, note) => {
  const engines = [{ host: engine, port: 8021, password: 'secret' }]

  expect(unreachableNote({ host, engines, observing: undefined })).toEqual(note)
  expect(unreachableNote({ host, engines, observing: { tenants: new Map() } })).toEqual([])
})
