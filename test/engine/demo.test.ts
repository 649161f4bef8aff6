/** The demo at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { runCommand } from '../support/platform/command.ts'
import { opened } from '../support/processes/opened.ts'
import { tenantPassword } from '../support/platform/platform.ts'

const acme = 'acme.example.com'

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

  it('the demo says which phone it needs, and with a phone that answers it walks to its end and leaves no route', async () => {
    const admin = await harness().platform.tenant(acme)
    const before = await admin.call('listDefaultRoutes')
    const without = await demo()
    const phone = await harness().phone('1001', acme)
    expect((await phone.register()).status).toBe(200)

    const { status, output } = await demo()

    expect(without).toMatchObject({
      status: 1,
      output: expect.stringContaining('register a phone of 1001 that answers'),
    })
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('all steps done') })
    expect(phone.rang).toHaveLength(2)
    expect(await admin.call('listDefaultRoutes')).toEqual(before)
  })
})
