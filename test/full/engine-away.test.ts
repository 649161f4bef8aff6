import { mkdtempSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { httpDirectory } from '../../local/platform/engine-lookups.ts'
import { startSimulatedEngine } from '@callplane/simulated-freeswitch'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { aPlatform } from '../support/platform/platform.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-engine-away-'))
const [shared, atTheEngine] = [join(folder, 'shared'), join(folder, 'engine')]
const domain = 'away.example.com'
const within = { timeout: 60_000, interval: 100 }

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a platform without its engine reports an outage until the engine comes, and then stores its recordings', async () => {
  mkdirSync(shared)
  // The engine has another path for the same folder, as it has in a container.
  symlinkSync(shared, atTheEngine)
  const [port, enginePort] = [await freePort(), await freePort()]
  const credential = 's3cr3t-what the engine presents'
  const password = 's3cr3t-of the event socket'
  const lines: string[] = []
  const platform = await aPlatform(
    {
      PORT: String(port),
      ENGINE_CREDENTIAL: credential,
      ENGINE_URL: `esl://:${encodeURIComponent(password)}@127.0.0.1:${enginePort}`,
      RECORDINGS_DIR: shared,
    },
    undefined,
    (line) => void lines.push(line),
  )
  await using closing = new AsyncDisposableStack()
  closing.defer(() => platform.close())
  const admin = await platform.tenant(domain)
  const health = async () => (await fetch(`${platform.url}/health`)).status

  expect(await health()).toBe(503)
  expect((await admin.call('readStatus')).wConsole.status).toBe('Offline')
  expect(lines).toContain(
    `engine 127.0.0.1:${enginePort} is offline (engine unreachable); /health answers 503 until it is online`,
  )

  const engine = await startSimulatedEngine({
    port: enginePort,
    password,
    seed: 7,
    recordingsDir: atTheEngine,
    directory: httpDirectory({ url: platform.url, credential }),
  })
  closing.defer(() => engine.close())
  await expect.poll(health, within).toBe(200)
  await expect.poll(() => lines, within).toContain(`engine 127.0.0.1:${enginePort} is online`)
  await engine.registerPhone('1001', domain)

  const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '5000' } })

  const uuid = info.replace('+OK ', '').trim()
  const list = () => admin.call('readRecording', { params: { uuid }, query: { type: 'all' } })
  await expect.poll(list, within).toMatchObject([{ uuid, name: `${uuid}.wav`, status: 'stored' }])
  const bytes = Buffer.from(await (await admin.recording(uuid)).arrayBuffer()).toString('latin1')
  expect(bytes.slice(0, 4)).toBe('RIFF')
  await expect
    .poll(
      () => readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wav')),
      within,
    )
    .toEqual([])
})
