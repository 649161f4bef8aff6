import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import type { Receiver } from '../../local/demo/receiver.ts'
import { opened } from '../support/processes/opened.ts'
import { aPlatform } from '../support/platform/platform.ts'

const domain = 'recorded.example.com'
const stored = 'CUSTOM->svc::recording_stored'

/** A start of the connector, and its look for what an earlier one left, are within this. */
const within = { timeout: 60_000, interval: 100 }

const rig = opened(async () => {
  const platform = await aPlatform()
  return { platform, close: () => platform.close() }
})

let admin: Client
let receiver: Receiver
beforeAll(async () => {
  const { platform } = rig()
  admin = await platform.tenant(domain)
  receiver = await platform.receiver()
  for (const event of [stored, 'RECORD_START']) {
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    await admin.call('createHooks', { query: { domain }, body: { event, action } })
  }
  await platform.hooksInForce(admin, domain)
})

/** Calls the extension that records two seconds of a tone and hangs up. */
async function recordedCall(): Promise<string> {
  const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '5000' } })
  return info.replace('+OK ', '').trim()
}

const list = (uuid: string) => admin.call('readRecording', { params: { uuid }, query: { type: 'all' } })

/** The remaining files in the folder that the engine records to, including the connector's notes. */
function left(): string[] {
  const folder = join(rig().platform.dataDir, 'recordings')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe('a recorded call', () => {
  it('a recorded call is stored when it has ended and published to hooks, and its file is removed from the engine', async () => {
    const uuid = await recordedCall()

    const event = JSON.parse((await receiver.next(stored)).body)
    expect(event.data).toMatchObject({
      'Unique-ID': uuid,
      'Recording-Name': `${uuid}.wav`,
      'Recording-Content-Type': 'audio/wav',
      'Channel-Presence-ID': `1001@${domain}`,
    })
    expect(await list(uuid)).toMatchObject([
      {
        uuid,
        name: `${uuid}.wav`,
        'content-type': 'audio/wav',
        status: 'stored',
        hash: event.data['Recording-SHA256'],
      },
    ])
    await expect.poll(left, within).toEqual([])
  })

  it('a recorded call is stored by the next connector when the one that received its beginning is killed', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { connector } = rig().platform.platform
    const uuid = await recordedCall()
    await expect.poll(() => list(uuid), within).toMatchObject([{ status: 'expected' }])

    process.kill(connector.pid ?? 0, 'SIGKILL')

    await expect.poll(() => list(uuid), within).toMatchObject([{ status: 'stored' }])
    await expect.poll(left, within).toEqual([])
    const { data } = JSON.parse((await receiver.next(stored)).body)
    expect(data['Unique-ID']).toBe(uuid)
    expect(readFileSync(join(rig().platform.dataDir, 'logs', 'connector.log'), 'utf8')).not.toContain('is refused')
    logged.mockRestore()
  })
})
