/** Recordings that a real engine sends with its credential. Skipped without `FREESWITCH_BIN`. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitLab } from '../support/engine/kit-lab.ts'
import { planted } from '../support/invariants/secret-forms.ts'
import { runCommand } from '../support/platform/command.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('a recording at an engine of the kit', () => {
  const lab = opened(() => aKitLab({ sharesRecordings: false }))

  it('a recording stays at the engine until it is sent with the engine credential, and is then stored', async () => {
    const admin = await lab().platform.tenant(acme)
    const [caller, called] = [await lab().phone('1001', acme), await lab().phone('1002', acme)]
    for (const phone of [caller, called]) expect((await phone.register()).status).toBe(200)
    const call = await caller.call('*11002')
    expect(call.status).toBe(200)
    const own = async () =>
      (await admin.call('listChannels')).data.rows.find(({ presence_id }) => presence_id === `1001@${acme}`)?.uuid
    await expect.poll(own, within).toBeDefined()
    const uuid = (await own()) ?? ''
    await call.hangUp()
    const recordings = () => admin.call('readRecording', { params: { uuid }, query: { type: 'all' } }).catch(() => [])
    await expect.poll(recordings, within).toMatchObject([{ name: `${uuid}.wav`, status: 'expected' }])
    const folder = join(lab().place.recordings, acme)
    expect(readdirSync(folder)).toEqual([`${uuid}.wav`])
    const config = join(lab().place.folder, 'credential')
    writeFileSync(config, `user = "engine:${planted('credential')}"\n`, { mode: 0o600 })
    const send = () =>
      runCommand(
        'sh',
        [
          'engine/bin/send-recordings',
          '--once',
          lab().place.recordings,
          `${lab().platformUrl}/engine/recordings`,
          config,
        ],
        { cwd: process.cwd() },
      )

    // The end of the recording may still be on its way to its record: what is not taken stays.
    await expect
      .poll(async () => [await send(), readdirSync(folder)], within)
      .toMatchObject([{ status: 0, output: '' }, []])

    expect(await recordings()).toMatchObject([
      {
        name: `${uuid}.wav`,
        'content-type': 'audio/wav',
        status: 'stored',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
  })
})
