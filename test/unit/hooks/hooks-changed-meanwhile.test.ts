import { describe, expect, it } from 'vitest'
import { aDeliveryLab, anArrival } from '../../support/hooks/delivery-lab.ts'

describe('F48 a hook that changes while deliveries wait for it', () => {
  it('a hook that changes while deliveries wait for it gets the next attempt at its new address, with its new secret', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500] })
    const moved = await lab.hook({ event: 'DTMF' })
    await lab.dispatch([anArrival()])
    await lab.work()
    await lab.ports.hooks.replace({ ...hook, action: moved.action, secrets: [], version: 2 })
    await lab.settle()

    expect(lab.requests(hook)).toHaveLength(1)
    expect(lab.requests(moved)).toHaveLength(1)
    expect(lab.requests(moved)[0]?.headers['webhook-signature']).toBe('')
    expect(lab.delivery(hook).state).toBe('delivered')
  })

  it.each(['hook_deleted', 'hook_disabled'] as const)(
    'a hook that was changed (%s) gets nothing any more, and the delivery is skipped',
    async (reason) => {
      const lab = aDeliveryLab()
      const hook = await lab.hook({ answers: [500] })
      await lab.dispatch([anArrival()])
      await lab.work()
      if (reason === 'hook_deleted') await lab.ports.hooks.remove(hook)
      else await lab.ports.hooks.replace({ ...hook, enable: false, version: 2 })
      await lab.settle()

      expect(lab.requests(hook)).toHaveLength(1)
      expect(lab.delivery(hook)).toMatchObject({ state: 'skipped', attempts: [{ status: 500 }, { reason }] })
    },
  )
})
