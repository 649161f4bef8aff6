import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listChannels } from '../../contracts/routes/channels.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { httpDirectory } from '../../local/platform/engine-lookups.ts'
import { startSimulatedEngine } from '@callplane/simulated-freeswitch'
import { jsonRows, startScriptedEngine } from '../support/engine/scripted-engine.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { manyChannels } from '../support/engine/many-channels.ts'
import { aPlatform } from '../support/platform/platform.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-engine-'))
const password = 's3cr3t-p&ss w:rd'
const credential = 's3cr3t-what the engine presents'

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a platform with ENGINE_URL uses another engine, which looks up its users at the platform', async () => {
  const port = await freePort()
  const engine = await startSimulatedEngine({
    port: 0,
    password,
    seed: 7,
    recordingsDir: folder,
    directory: httpDirectory({ url: `http://127.0.0.1:${port}`, credential }),
  })
  const platform = await aPlatform({
    PORT: String(port),
    ENGINE_CREDENTIAL: credential,
    ENGINE_URL: `esl://:${encodeURIComponent(password)}@127.0.0.1:${engine.port}`,
  })
  try {
    const admin = await platform.tenant('elsewhere.example.com')
    await engine.registerPhone('1001', 'elsewhere.example.com')

    const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })

    const rows = (await admin.call('listChannels')).data.rows
    expect(rows.map(({ uuid }) => `+OK ${uuid}\n`)).toEqual([info])
    expect((await admin.call('readStatus')).wConsole.status).toBe('Connected')
    expect(platform.platform.engine).toBeUndefined()
  } finally {
    await platform.close()
    await engine.close()
  }
})

test('several engines work as one platform: each call is placed, listed and ordered where its phone is', async () => {
  const port = await freePort()
  const engines = await Promise.all(
    [7, 8].map((seed) =>
      startSimulatedEngine({
        port: 0,
        password,
        seed,
        recordingsDir: folder,
        directory: httpDirectory({ url: `http://127.0.0.1:${port}`, credential }),
      }),
    ),
  )
  const [first, second] = engines
  if (first === undefined || second === undefined) throw new Error('two engines')
  const platform = await aPlatform({
    PORT: String(port),
    ENGINE_CREDENTIAL: credential,
    ENGINE_URL: engines.map((engine) => `esl://127.0.0.1:${engine.port}`).join(','),
    ENGINE_PASSWORD: password,
  })
  try {
    const [admin, other] = [await platform.tenant('two.example.com'), await platform.tenant('none.example.com')]
    await first.registerPhone('1001', 'two.example.com')
    await second.registerPhone('1002', 'two.example.com')
    const call = async (callerId: string) =>
      (await admin.call('originateCall', { body: { callerId, calledId: '9196' } })).info.slice('+OK '.length).trim()

    const [here, there] = [await call('1001'), await call('1002')]
    expect(await call('1001')).not.toBe(here)
    await admin.call('holdChannel', { params: { channel_id: there }, body: { state: 'hold' } })
    const rows = (await admin.call('listChannels')).data.rows
    expect(rows).toHaveLength(3)
    expect(rows.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([here, there]))
    expect((await admin.call('readStatus')).freeSWITCH).toMatch(
      new RegExp(`^127.0.0.1:${first.port}\\nUP[^]*\\n127.0.0.1:${second.port}\\nUP`),
    )

    await second.close()
    // Until both links are known to be lost.
    const shown = async () => (await admin.call('readStatus')).freeSWITCH
    while (!(await shown()).includes('engine not connected')) await fetch(`${platform.url}/health`)

    expect(await shown()).toContain(`127.0.0.1:${second.port}\nengine not connected`)
    expect((await admin.call('readStatus')).wConsole.status).toBe('Connected')
    expect((await fetch(`${platform.url}/health`)).status).toBe(503)
    await expect(admin.call('listChannels')).rejects.toThrow(/answered 503: engine_unavailable/)
    expect((await other.call('listChannels')).data.row_count).toBe(0)
    await expect(admin.call('hangUpChannel', { params: { channel_id: there } })).rejects.toThrow(
      /503: engine_unavailable/,
    )
    await admin.call('hangUpChannel', { params: { channel_id: here } })
    expect(await call('1001')).toMatch(/^[0-9a-f-]{36}$/)
  } finally {
    await platform.close()
    for (const engine of engines) await engine.close()
  }
})

test('5 000 live channels are listed whole, a page at a time', async () => {
  const channels = manyChannels(5_000)
  const engine = await startScriptedEngine()
  const text = jsonRows(channels)
  engine.answer = (command) => (command === 'show channels as json' ? text : jsonRows([]))
  const platform = await aPlatform({ ENGINE_URL: `esl://:${encodeURIComponent(password)}@127.0.0.1:${engine.port}` })
  try {
    const admin = await platform.tenant('a.example.com')
    const body = { username: 'root', password: platform.platform.kept.rootPassword }
    const { key, token } = await clientOf(platform.url).call('logIn', { body })
    const page = async (query: string) => {
      const headers = { 'x-key': key, 'x-access-token': token }
      const response = await fetch(`${platform.url}${listChannels.path}${query}`, { headers })
      expect(response.status).toBe(200)
      const cursor = response.headers.get('x-next-cursor') ?? undefined
      const { rows } = listChannels.response.parse(await response.json()).data
      return { cursor, truncated: response.headers.get('x-truncated'), rows }
    }

    const pages = [await page('')]
    for (let cursor = pages[0]?.cursor; cursor !== undefined; cursor = pages.at(-1)?.cursor) {
      pages.push(await page(`?cursor=${encodeURIComponent(cursor)}`))
    }

    expect(pages[0]?.truncated).toBe('true')
    expect(pages.flatMap(({ rows }) => rows)).toHaveLength(5_000)
    expect(new Set(pages.flatMap(({ rows }) => rows.map(({ uuid }) => uuid)))).toEqual(
      new Set(channels.map(({ uuid }) => uuid)),
    )
    // The connector may have asked for the domain before it was made, and believes for 2 s that there is none.
    await expect
      .poll(async () => new Set((await admin.call('listChannels')).data.rows.map(({ uuid }) => uuid)), {
        timeout: 20_000,
      })
      .toEqual(new Set(channels.flatMap(({ uuid, context }) => (context === 'a.example.com' ? uuid : []))))
  } finally {
    await platform.close()
    await engine.close()
  }
})
