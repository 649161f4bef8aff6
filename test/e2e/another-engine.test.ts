import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listChannels, originateCall } from '../../contracts/routes/channels.ts'
import { readStatus } from '../../contracts/routes/status.ts'
import { httpDirectory } from '../../local/engine/http-directory.ts'
import { startSimulatedEngine } from '../../local/engine/simulated-engine.ts'
import { freePort } from '../support/free-port.ts'
import { aPlatform } from '../support/platform.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-engine-'))
const password = 'p&ss w:rd'
const credential = 'what the engine presents'

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('ENGINE_URL uses another engine, which looks its users up at the platform', async () => {
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

    const { info } = await admin.call(originateCall, { body: { callerId: '1001', calledId: '9196' } })

    const rows = (await admin.call(listChannels)).data.rows
    expect(rows.map(({ uuid }) => `+OK ${uuid}\n`)).toEqual([info])
    expect((await admin.call(readStatus)).wConsole.status).toBe('Connected')
    expect(platform.platform.engine).toBeUndefined()
  } finally {
    await platform.close()
    await engine.close()
  }
})
