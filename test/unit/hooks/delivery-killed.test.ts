import { describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'
import { type Moment, dying } from '../../support/processes/dying.ts'
import { emailSettingsOf } from '../../support/records/records.ts'

/** A harness with hooks of every end, and events for them; their receivers are late unless `given` says otherwise. */
async function aHarness(given: Partial<Hook> = {}) {
  const pipeline = aDeliveryHarness()
  await pipeline.ports.emailSettings.put(emailSettingsOf())
  const hooks = [
    await pipeline.hook({ answers: [200], ...given }),
    await pipeline.hook({ answers: [503, 200], ...given }),
    await pipeline.hook({ answers: [404], ...given }),
    await pipeline.hook({ answers: [500], retries: 1, ...given }),
    await pipeline.hook({ answers: [410], ...given }),
  ]
  const events = [anArrival(), anArrival()]
  return { pipeline, hooks, events }
}

/** Runs a step with a function that dies at a moment, in a new harness each; `undefined` counts its calls. */
async function callsOf(step: (harness: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => Promise<number>) {
  return step(await aHarness())
}

const moments = (calls: number): Moment[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((call): Moment[] => [
    { call, side: 'before' },
    { call, side: 'after' },
  ])

async function dispatchAll(pipeline: DeliveryHarness, events: readonly PlatformEvent[]): Promise<void> {
  for (const event of events) while ((await pipeline.dispatch([event])) > 0);
}

function checkAll(pipeline: DeliveryHarness, events: readonly PlatformEvent[], hooks: readonly Hook[]): void {
  checkDeliveries(pipeline, events, hooks)
  const states = hooks.map(({ id }) =>
    pipeline
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
  expect(pipeline.ports.state.hooks.get(JSON.stringify([hooks[4]?.domain, hooks[4]?.id]))).toMatchObject({
    enable: false,
  })
  const notices = pipeline.ports.events.published.filter(({ name }) => name === 'CUSTOM->svc::hook_disabled')
  expect(new Set(notices.map(({ id }) => id)).size).toBe(1)
}

describe('F34 a function that is killed', () => {
  it('a function that is killed in dispatch, before or after any call, leaves one delivery for each event and hook, and all of them end', async () => {
    const step = async ({ pipeline, events }: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => {
      const killed = dying(pipeline.ports, moment)
      const [event] = events
      if (event !== undefined) await pipeline.dispatch([event], killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const harness = await aHarness()
      await step(harness, moment)
      await dispatchAll(harness.pipeline, harness.events)
      await harness.pipeline.settle()
      checkAll(harness.pipeline, harness.events, harness.hooks)
    }
  })

  it('a dispatcher that is killed during first attempts, before or after any call, leaves one delivery for each event and hook, and a log of every request', async () => {
    const step = async ({ pipeline, events }: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => {
      const killed = dying(pipeline.ports, moment)
      await pipeline.dispatch(events, killed.ports)
      return killed
    }
    const { names } = await step(await aHarness({ lateAt: undefined }))
    expect(names).toEqual(expect.arrayContaining(['hookClient.send', 'deliveries.recordTogether', 'hooks.replace']))

    for (const moment of moments(names.length)) {
      const harness = await aHarness({ lateAt: undefined })
      await step(harness, moment)
      // The messages of events that were not dispatched return after a minute.
      harness.pipeline.clock.move(60_000)
      while ((await harness.pipeline.dispatch(harness.events)) > 0);
      await harness.pipeline.settle()
      checkAll(harness.pipeline, harness.events, harness.hooks)
    }
  })

  it('a function that is killed in an attempt, before or after any call, loses no delivery and records every request', async () => {
    const step = async ({ pipeline, events }: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => {
      await dispatchAll(pipeline, events)
      const killed = dying(pipeline.ports, moment)
      await pipeline.work(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(50)

    for (const moment of moments(calls)) {
      const harness = await aHarness()
      await step(harness, moment)
      await harness.pipeline.settle()
      checkAll(harness.pipeline, harness.events, harness.hooks)
    }
  })

  it('a function that is killed in a retry, before or after any call, continues with one chain of attempts', async () => {
    const step = async ({ pipeline, events }: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => {
      await dispatchAll(pipeline, events)
      await pipeline.work()
      pipeline.moveToNext()
      const killed = dying(pipeline.ports, moment)
      await pipeline.work(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const harness = await aHarness()
      await step(harness, moment)
      await harness.pipeline.settle()
      checkAll(harness.pipeline, harness.events, harness.hooks)
    }
  })

  it('a function that is killed in the search for lost attempts, before or after any call, loses none', async () => {
    const step = async ({ pipeline, events }: Awaited<ReturnType<typeof aHarness>>, moment?: Moment) => {
      await dispatchAll(pipeline, events)
      pipeline.lose()
      pipeline.clock.move(6 * 60_000)
      const killed = dying(pipeline.ports, moment)
      await pipeline.sweep(killed.ports)
      return killed.calls()
    }
    const calls = await callsOf(step)
    expect(calls).toBeGreaterThan(3)

    for (const moment of moments(calls)) {
      const harness = await aHarness()
      await step(harness, moment)
      await harness.pipeline.settle()
      checkAll(harness.pipeline, harness.events, harness.hooks)
    }
  })
})
