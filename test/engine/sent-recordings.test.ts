/** Recordings that a real engine sends with its credential. Skipped without `FREESWITCH_BIN`. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { planted } from '../support/invariants/secret-forms.ts'
import { runCommand } from '../support/platform/command.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('a recording at an engine of the kit', () => {
  const pipeline = opened(() => aKitHarness({ sharesRecordings: false }))

  const send = () => {
    const config = join(pipeline().place.folder, 'credential')
    writeFileSync(config, `user = "engine:${planted('credential')}"\n`, { mode: 0o600 })
    const words = [pipeline().place.recordings, `${pipeline().platformUrl}/engine/recordings`, config]
    return runCommand('sh', ['engine/bin/send-recordings', '--once', ...words], { cwd: process.cwd() })
  }

  it('a recording stays at the engine until it is sent with the engine credential, and is then stored', async () => {
    const admin = await pipeline().platform.tenant(acme)
    const [caller, called] = [await pipeline().phone('1001', acme), await pipeline().phone('1002', acme)]
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
    const folder = join(pipeline().place.recordings, acme)
    expect(readdirSync(folder)).toEqual([`${uuid}.wav`])
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

  it('a recording whose engine is killed is repaired when it is sent, and is incomplete', async () => {
    const admin = await pipeline().platform.tenant('blue.example.com')
    const [caller, called] = [
      await pipeline().soundPhone('1001', 'blue.example.com'),
      await pipeline().soundPhone('1002', 'blue.example.com', { isAnswering: true }),
    ]
    for (const phone of [caller, called]) expect(await phone.register()).toBe(200)
    const receiver = await pipeline().platform.receiver()
    const failed = 'CUSTOM->svc::recording_failed'
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    await admin.call('createHooks', { body: [{ event: failed, action }] })
    const call = await caller.call('*11002')
    call.sing(500)
    const folder = join(pipeline().place.recordings, 'blue.example.com')
    const file = () => join(folder, readdirSync(folder)[0] ?? '')
    // The engine writes 64 KiB at a time.
    await expect.poll(() => statSync(file()).size, within).toBeGreaterThan(100_000)
    await pipeline().engine.stop('SIGKILL')
    const left = readFileSync(file())
    expect(left.readUInt32LE(4)).not.toBe(left.length - 8)
    pipeline().engine = await pipeline().startEngine()

    await expect
      .poll(async () => [await send(), readdirSync(folder)], within)
      .toMatchObject([{ status: 0, output: '' }, []])

    const { data } = JSON.parse((await receiver.next(failed)).body)
    expect(data['Recording-Incomplete']).toBe('the engine ended during the recording')
    const params = { uuid: data['Unique-ID'] }
    expect(await admin.call('readRecording', { params, query: { type: 'all' } })).toMatchObject([
      { status: 'stored', size: left.length, incomplete: true, reason: 'the engine ended during the recording' },
    ])
  })
})
