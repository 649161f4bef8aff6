import { describe, expect, it } from 'vitest'
import { aDeliveryHarness, anArrival } from '../../support/hooks/delivery-harness.ts'

describe('F48 a hook that changes while deliveries wait for it', () => {
  it('a hook that changes while deliveries wait for it gets the next attempt at its new address, with its new secret', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500] })
    const moved = await harness.hook({ event: 'DTMF' })
    await harness.dispatch([anArrival()])
    await harness.work()
    await harness.ports.hooks.replace({ ...hook, action: moved.action, secrets: [], version: 2 })
    await harness.settle()

    expect(harness.requests(hook)).toHaveLength(1)
    expect(harness.requests(moved)).toHaveLength(1)
    expect(harness.requests(moved)[0]?.headers['webhook-signature']).toBe('')
    expect(harness.delivery(hook).state).toBe('delivered')
  })

  it.each(['hook_deleted', 'hook_disabled'] as const)(
    'a hook that was changed (%s) gets nothing any more, and the delivery is skipped',
    async (reason) => {
      const harness = aDeliveryHarness()
      const hook = await harness.hook({ answers: [500] })
      await harness.dispatch([anArrival()])
      await harness.work()
      if (reason === 'hook_deleted') await harness.ports.hooks.remove(hook)
      else await harness.ports.hooks.replace({ ...hook, enable: false, version: 2 })
      await harness.settle()

      expect(harness.requests(hook)).toHaveLength(1)
      expect(harness.delivery(hook)).toMatchObject({ state: 'skipped', attempts: [{ status: 500 }, { reason }] })
    },
  )
})
