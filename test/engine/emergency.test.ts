/** Emergency numbers at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it } from 'vitest'
import { openDialledCalls } from '../support/engine/dialled-calls.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { type KitHarness, aKitHarness } from '../support/engine/kit-harness.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'

/** Makes an account whose login is an emergency number, and returns how the engine ends calls to numbers. */
async function dialling(harness: KitHarness) {
  const admin = await harness.platform.tenant(acme)
  await admin.call('createAccount', { body: { login: '112', role: 'user', password: tenantPassword('112') } })
  const calls = await openDialledCalls(harness.place.socketPort)
  return {
    close: () => calls.close(),
    dial: async (number: string) => {
      const { executed, cause } = await calls.dial(acme, number)
      return { last: executed.at(-1), cause }
    },
  }
}

describe.skipIf(freeswitchBin === undefined)('an emergency number without a route', () => {
  describe('at an engine without an emergency gateway', () => {
    const harness = opened(() => aKitHarness())

    it('an emergency call ends although an account has the number, even while the platform is down', async () => {
      const calls = await dialling(harness())
      const ended = { last: 'hangup NO_ROUTE_DESTINATION', cause: 'NO_ROUTE_DESTINATION' }

      expect(await calls.dial('112')).toEqual(ended)
      await harness().platform.stop()
      expect(await calls.dial('911')).toEqual(ended)
      expect(await calls.dial('113')).toEqual(ended)
      await calls.close()
    })
  })

  describe('at an engine with an emergency gateway', () => {
    const harness = opened(() =>
      aKitHarness({ settings: { EMERGENCY_GATEWAY: 'rescue', EMERGENCY_NUMBERS: '112,*99' } }),
    )

    it('an emergency call goes to the gateway, even while the platform is down', async () => {
      const calls = await dialling(harness())

      expect((await calls.dial('112')).last).toBe('bridge sofia/gateway/rescue/112')
      await harness().platform.stop()
      expect((await calls.dial('112')).last).toBe('bridge sofia/gateway/rescue/112')
      expect((await calls.dial('*99')).last).toBe('bridge sofia/gateway/rescue/*99')
      expect((await calls.dial('12')).last).toBe('hangup NO_ROUTE_DESTINATION')
      await calls.close()
    })
  })
})
