import { describe, expect, it } from 'vitest'
import { aDeliveryLab, anArrival } from '../../support/hooks/delivery-lab.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

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

describe('F49 a signing secret that is rotated between attempts', () => {
  it('both secrets sign after a rotation, the new one first, and only the new one when the grace period is over', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500], retries: 2, delay: 3_600 })
    await lab.dispatch([anArrival()])
    await lab.work()
    const { sealed = '' } = hook.secrets[0] ?? {}
    const fresh = await lab.ports.secretBox.seal(new Uint8Array(32).fill(9), `hook-secret:${hook.domain}:${hook.id}`)
    const until = lab.clock.now() + 2 * hour
    await lab.ports.hooks.replace({ ...hook, secrets: [{ sealed: fresh }, { sealed, until }], version: 2 })
    await lab.settle()

    const signatures = lab.requests(hook).map(({ headers }) => headers['webhook-signature']?.split(' ') ?? [])
    expect(signatures.map((each) => each.length)).toEqual([1, 2, 1])
  })
})
