/** Tests of a platform that only observes an engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { routes } from '../../contracts/routes/index.ts'
import { type SimulatedEngine, startSimulatedEngine } from '@callplane/simulated-freeswitch'
import { recordedDirectory } from '../support/engine/simulator-harness.ts'
import { openEngineSocket } from '../support/engine/engine-socket.ts'
import { type RecordingProxy, observersCommands, startRecordingProxy } from '../support/engine/recording-proxy.ts'
import { opened } from '../support/processes/opened.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'

/** The domain as the engine calls it, and the tenant that the setting makes of it. */
const [there, tenant] = ['tenant1.example.com', 'acme.example.com']
const gone = 'gone.example.com'

interface Harness {
  readonly engine: SimulatedEngine
  readonly proxy: RecordingProxy
  readonly platform: TestPlatform
  close(): Promise<void>
}

const harness = opened(async (): Promise<Harness> => {
  const recordingsDir = mkdtempSync(join(tmpdir(), 'observed-engine-'))
  const engine = await startSimulatedEngine({
    port: 0,
    password: 'ClueCon',
    directory: recordedDirectory,
    seed: 7,
    recordingsDir,
  })
  const proxy = await startRecordingProxy(engine.port)
  const platform = await aPlatform({
    ENGINE_URL: `esl://:ClueCon@127.0.0.1:${proxy.port}`,
    ENGINE_MODE: 'observe',
    ENGINE_TENANTS: `${there}=${tenant}`,
  })
  return {
    engine,
    proxy,
    platform,
    close: async () => {
      await platform.close()
      await proxy.close()
      await engine.close()
      rmSync(recordingsDir, { recursive: true, force: true })
    },
  }
})

it('an observed engine gets only commands that read, whatever operations, broken links and killed connectors there are', async () => {
  const { engine, proxy, platform } = harness()
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const admin = await platform.tenant(tenant)
  const root = await platform.root()
  const receiver = await platform.receiver()
  const hook = { event: 'CHANNEL_HANGUP_COMPLETE', action: { type: 'web' as const, method: 'POST', url: receiver.url } }
  await admin.call('createHooks', { body: hook })
  await engine.registerPhone('1001', there)
  const online = async () => (await admin.call('listAccounts')).data['1001']?.online
  await expect.poll(online, { timeout: 30_000 }).toBe(true)
  const uuid = engine.placeCall('1001', there, { to: '9196' }) ?? ''
  const rows = async () => (await admin.call('listChannels')).data.rows

  await expect.poll(rows, { timeout: 30_000 }).toMatchObject([{ uuid, presence_id: `1001@${tenant}` }])
  const params = { channel_id: uuid }
  const gateway = { gateway_name: 'trunk' }
  const registered = { username: 'pbx', password: 'pa55-of-the-trunk' }
  const operations = new Map<string, () => Promise<unknown>>([
    ['listChannels', rows],
    ['originateCall', () => admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })],
    ['holdChannel', () => admin.call('holdChannel', { params, body: { state: 'hold' } })],
    ['hangUpChannel', () => admin.call('hangUpChannel', { params })],
    ['eavesdropChannel', () => admin.call('eavesdropChannel', { params, body: { user: '1002' } })],
    [
      'createAccount',
      () => admin.call('createAccount', { body: { login: '1009', role: 'user', password: 'pa55-word' } }),
    ],
    [
      'updateAccount',
      () => admin.call('updateAccount', { params: { account_id: '1009' }, body: { password: 'pa55-other' } }),
    ],
    ['deleteAccount', () => admin.call('deleteAccount', { params: { account_id: '1009' } })],
    ['createDomain', () => root.call('createDomain', { body: { domain_name: gone, customer_id: 'test' } })],
    [
      'updateDomainVariables',
      () => root.call('updateDomainVariables', { params: { domain_name: gone }, body: ['timezone=Europe/Berlin'] }),
    ],
    [
      'updateDomainParameters',
      () => root.call('updateDomainParameters', { params: { domain_name: gone }, body: ['vm-password=4711'] }),
    ],
    [
      'createGateway',
      () => admin.call('createGateway', { body: { name: 'trunk', realm: 'sip.example.net', ...registered } }),
    ],
    [
      'replaceGateway',
      () => admin.call('replaceGateway', { params: gateway, body: { realm: 'sip.example.org', ...registered } }),
    ],
    ['updateGateway', () => admin.call('updateGateway', { params: gateway, body: { enabled: false } })],
    ['deleteGateway', () => admin.call('deleteGateway', { params: gateway })],
    ['deleteDomain', () => root.call('deleteDomain', { params: { domain_name: gone } })],
  ])
  const changing = new Set(['originateCall', 'holdChannel', 'hangUpChannel', 'eavesdropChannel'])
  expect([...operations.keys()].sort()).toEqual(
    Object.values(routes)
      .filter(({ needs }) => 'engine' in needs)
      .map(({ operationId }) => operationId)
      .sort(),
  )
  for (const [name, run] of operations) {
    if (changing.has(name)) await expect(run()).rejects.toThrow('409: conflict, the engine is only observed')
    else await run()
  }

  expect(await rows()).toMatchObject([{ uuid, callstate: 'ACTIVE' }])
  proxy.cut()
  const relinked = () => proxy.commands().filter((command) => command === 'auth').length
  await expect.poll(relinked, { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
  await expect.poll(() => rows().catch(() => []), { timeout: 30_000 }).toMatchObject([{ uuid }])
  process.kill(platform.platform.connector.pid ?? 0, 'SIGKILL')
  await expect.poll(relinked, { timeout: 30_000 }).toBeGreaterThanOrEqual(6)
  await expect.poll(() => rows().catch(() => []), { timeout: 30_000 }).toMatchObject([{ uuid }])
  const health = async () => (await fetch(`${platform.url}/health`)).status
  await expect.poll(health, { timeout: 30_000 }).toBe(200)
  logged.mockRestore()
  const socket = await openEngineSocket(engine.port)
  await socket.api(`uuid_kill ${uuid}`)
  await socket.close()
  const cdrs = async () =>
    (await admin.call('searchCdrs', { body: { query: '' } })).hits.hits.map(({ _source }) => _source)
  await expect
    .poll(cdrs, { timeout: 30_000 })
    .toMatchObject([{ uuid, domain_name: tenant, presence_id: `1001@${tenant}` }])
  const ended = await receiver.next('CHANNEL_HANGUP_COMPLETE')
  expect(JSON.parse(ended.body)).toMatchObject({ data: { 'Unique-ID': uuid, 'Event-Domain': tenant } })
  const sent = [...new Set(proxy.commands())]
  expect(sent).toEqual(expect.arrayContaining(['auth', 'api show channels as json', 'api status']))
  expect(sent.filter((command) => !observersCommands.some((form) => form.test(command)))).toEqual([])
})
