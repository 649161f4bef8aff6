import { describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { type DeliveryLab, aDeliveryLab, anArrival, checkDeliveries } from '../../support/hooks/delivery-lab.ts'
import { type Moment, dying } from '../../support/processes/dying.ts'
import { emailSettingsOf } from '../../support/records/records.ts'

/** A lab with hooks of every end, and events for them; their receivers are late unless `given` says otherwise. */
async function aWorld(given: Partial<Hook> = {}) {
  const lab = aDeliveryLab()
  await lab.ports.emailSettings.put(emailSettingsOf())
  const hooks = [
    await lab.hook({ answers: [200], ...given }),
    await lab.hook({ answers: [503, 200], ...given }),
    await lab.hook({ answers: [404], ...given }),
    await lab.hook({ answers: [500], retries: 1, ...given }),
    await lab.hook({ answers: [410], ...given }),
  ]
  const events = [anArrival(), anArrival()]
  return { lab, hooks, events }
}

/** Runs a step with a function that dies at a moment, in a new world each; `undefined` counts its calls. */
async function callsOf(step: (world: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => Promise<number>) {
  return step(await aWorld())
}

const moments = (calls: number): Moment[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((call): Moment[] => [
    { call, side: 'before' },
    { call, side: 'after' },
  ])

async function dispatchAll(lab: DeliveryLab, events: readonly PlatformEvent[]): Promise<void> {
  for (const event of events) while ((await lab.dispatch([event])) > 0);
}

function checkAll(lab: DeliveryLab, events: readonly PlatformEvent[], hooks: readonly Hook[]): void {
  checkDeliveries(lab, events, hooks)
  const states = hooks.map(({ id }) =>
    lab
      .deliveries()
      .filter(({ hookId }) => hookId === id)
      .map(({ state }) => state),
  )
  const [first, second, third, fourth, fifth] = states
  expect(first).toEqual(['delivered', 'delivered'])
  expect(second).toEqual(['delivered', 'delivered'])
  expect(third).toEqual(['failed', 'failed'])
  expect(fourth).toEqual(['failed', 'failed'])
  for (const state of fifth ?? []) expect(['failed', 'skipped']).toContain(state)
  expect(lab.ports.state.hooks.get(JSON.stringify([hooks[4]?.domain, hooks[4]?.id]))).toMatchObject({ enable: false })
  const notices = lab.ports.events.published.filter(({ name }) => name === 'CUSTOM->svc::hook_disabled')
  expect(new Set(notices.map(({ id }) => id)).size).toBe(1)
}

describe('F34 a function that is killed', () => {
  it('a function that is killed in dispatch, before or after any call, leaves one delivery for each event and hook, and all of them end', async () => {
    const step = async ({ lab, events }: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => {
      const killed = dying(lab.ports, moment)
      const [event] = events
      if (event !== undefined) await lab.dispatch([event], killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const world = await aWorld()
      await step(world, moment)
      await dispatchAll(world.lab, world.events)
      await world.lab.settle()
      checkAll(world.lab, world.events, world.hooks)
    }
  })

  it('a dispatcher that is killed during first attempts, before or after any call, leaves one delivery for each event and hook, and a log of every request', async () => {
    const step = async ({ lab, events }: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => {
      const killed = dying(lab.ports, moment)
      await lab.dispatch(events, killed.ports)
      return killed
    }
    const { names } = await step(await aWorld({ lateAt: undefined }))
    expect(names).toEqual(expect.arrayContaining(['hookClient.send', 'deliveries.recordTogether', 'hooks.replace']))

    for (const moment of moments(names.length)) {
      const world = await aWorld({ lateAt: undefined })
      await step(world, moment)
      // The messages of events that were not dispatched return after a minute.
      world.lab.clock.move(60_000)
      while ((await world.lab.dispatch(world.events)) > 0);
      await world.lab.settle()
      checkAll(world.lab, world.events, world.hooks)
    }
  })

  it('a function that is killed in an attempt, before or after any call, loses no delivery and records every request', async () => {
    const step = async ({ lab, events }: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => {
      await dispatchAll(lab, events)
      const killed = dying(lab.ports, moment)
      await lab.work(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(50)

    for (const moment of moments(calls)) {
      const world = await aWorld()
      await step(world, moment)
      await world.lab.settle()
      checkAll(world.lab, world.events, world.hooks)
    }
  })

  it('a function that is killed in a retry, before or after any call, continues with one chain of attempts', async () => {
    const step = async ({ lab, events }: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => {
      await dispatchAll(lab, events)
      await lab.work()
      lab.moveToNext()
      const killed = dying(lab.ports, moment)
      await lab.work(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const world = await aWorld()
      await step(world, moment)
      await world.lab.settle()
      checkAll(world.lab, world.events, world.hooks)
    }
  })

  it('a function that is killed in the search for lost attempts, before or after any call, loses none', async () => {
    const step = async ({ lab, events }: Awaited<ReturnType<typeof aWorld>>, moment?: Moment) => {
      await dispatchAll(lab, events)
      lab.lose()
      lab.clock.move(6 * 60_000)
      const killed = dying(lab.ports, moment)
      await lab.sweep(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const world = await aWorld()
      await step(world, moment)
      await world.lab.settle()
      checkAll(world.lab, world.events, world.hooks)
    }
  })
})
