/** The demo, and calls by the command line, at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it, vi } from 'vitest'
import { aCliUser } from '../support/cli/cli.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { runCommand } from '../support/platform/command.ts'
import { opened } from '../support/processes/opened.ts'
import { tenantPassword } from '../support/platform/platform.ts'

const within = { timeout: 20_000 }
const acme = 'acme.example.com'
const calls = 'calls.example.com'

describe.skipIf(freeswitchBin === undefined)('at an engine of the kit', () => {
  const harness = opened(() => aKitHarness({ platform: { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } }))
  const demo = () =>
    runCommand(process.execPath, ['local/demo.ts'], {
      cwd: process.cwd(),
      env: {
        PATH: process.env['PATH'],
        API_URL: harness().platformUrl,
        DEMO_USER: `1000@${acme}`,
        DEMO_PASSWORD: tenantPassword('1000'),
      },
    })

  it('the demo says which phone it needs, and with a phone that answers it walks to its end and leaves no route, hook, call or recording', async () => {
    const admin = await harness().platform.tenant(acme)
    const left = async () => ({
      routes: await admin.call('listDefaultRoutes'),
      hooks: (await admin.call('listHooks')).data,
      calls: (await admin.call('listChannels')).data.rows,
    })
    const before = await left()
    const without = await demo()
    const afterFailure = await left()
    const phone = await harness().phone('1001', acme)
    expect((await phone.register()).status).toBe(200)

    const { status, output } = await demo()

    expect(without).toMatchObject({
      status: 1,
      output: expect.stringContaining('register a phone of 1001 that answers'),
    })
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('all steps done') })
    expect(phone.rang).toHaveLength(2)
    expect(afterFailure).toEqual(before)
    await vi.waitUntil(async () => (await left()).calls.length === 0, within)
    expect(await left()).toEqual(before)
    const [, recorded = ''] = /files\/([0-9a-f-]{36})/.exec(output) ?? []
    const kept = await admin.call('readRecording', { params: { uuid: recorded }, query: { type: 'all' } })
    expect(kept).toMatchObject([{ status: 'deleted' }])
  })

  it('callplane call says that the dialled phone answered, or that it is busy, and ends with the right code', async () => {
    await harness().platform.tenant(calls)
    const user = aCliUser()
    const phones = [await harness().phone('1001', calls), await harness().phone('1002', calls)]
    const busy = await harness().phone('1000', calls, { isBusy: true })
    for (const phone of [...phones, busy]) expect((await phone.register()).status).toBe(200)
    await user.signIn({ url: harness().platformUrl, user: `1000@${calls}`, password: tenantPassword('1000') })

    const answered = await user.run(['call', '1002', '--from', '1001'])
    const refused = await user.run(['call', '1000', '--from', '1001'])
    const unrouted = await user.run(['call', '5551234', '--from', '1001'])
    user.remove()

    expect(answered).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/ringing 1002 … answered after [\d.]+ s/),
    })
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('1000: busy (USER_BUSY)') })
    expect(unrouted).toMatchObject({ status: 1, stderr: expect.stringContaining('(NO_ROUTE_DESTINATION)') })
  })
})
