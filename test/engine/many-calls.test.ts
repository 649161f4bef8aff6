/**
 * Many calls at a real engine: every event, CDR and delivery is compared with what the engine counts. Skipped without
 * `FREESWITCH_BIN`.
 */
import { setInterval } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { type DeliveryCounter, openDeliveryCounter } from '../support/engine/delivery-counter.ts'
import { countedEvents, openEventCounter } from '../support/engine/event-counter.ts'
import { freeswitchBin, withLoopback } from '../support/engine/kit-engine.ts'
import { type KitHarness, aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const within = { timeout: 240_000, interval: 500 }

/** A call of two legs: one waits, the other talks back what it hears, in the dial plan of the domain. */
const call = (waitMs: number) => `originate {domain_name=${acme}}loopback/9196/${acme} &sleep(${waitMs})`
const sorted = (values: Iterable<string>) => [...values].sort()
const found = async (client: Client) => {
  const body = { query: '', columns: ['uuid', 'domain_name'], limit: 1_000 }
  const answers = [1, 2].map(async (pageNumber) => {
    const { hits } = await client.call('searchCdrs', { query: { leg: '*' }, body: { ...body, pageNumber } })
    return hits.hits.map(({ fields }) => String(fields?.['uuid']))
  })
  return (await Promise.all(answers)).flat()
}
/** Times in which events may have been missed since the domain has hooks. */
const gapsOf = async (client: Client) => {
  const { data } = await client.call('listEvents', { query: { since: '0', limit: 1 } })
  return data.gaps.filter((gap) => gap.kind === 'time' && gap.reason !== 'no_hook')
}

/** Hooks that want the four events of {@link countedEvents}; resolves when the connector asks the engine for them. */
async function hooked(harness: KitHarness): Promise<{ admin: Client; deliveries: DeliveryCounter }> {
  const deliveries = await openDeliveryCounter()
  const admin = await harness.platform.tenant(acme)
  const hooks = countedEvents.map((event) => ({
    event,
    action: { type: 'web' as const, method: 'POST', url: deliveries.url },
  }))
  await admin.call('createHooks', { query: { domain: acme }, body: hooks })
  // A hook is in force 2 s after it was made: calls are placed until one is delivered whole.
  for await (const _tick of setInterval(500)) {
    await harness.engine.api(call(20))
    if (countedEvents.every((name) => [...deliveries.received.values()].some((one) => one.startsWith(name)))) break
  }
  return { admin, deliveries }
}

describe.skipIf(freeswitchBin === undefined)('500 calls through loopback, 40 a second', () => {
  const harness = opened(() => aKitHarness({ settings: { CALLS_PER_SECOND: '500' }, change: withLoopback }))
  it('events, CDRs and deliveries of 500 calls are those of the engine, none missing and none twice', async () => {
    const { admin, deliveries } = await hooked(harness())
    const counter = await openEventCounter(harness().place.socketPort)
    let placed = 0
    for await (const _tick of setInterval(25)) {
      counter.start(call(1_000))
      placed += 1
      if (placed === 500) break
    }

    // Legs of an earlier call may still end; only those count whose beginning was heard.
    const legs = (name = 'CHANNEL_CREATE') =>
      new Set(counter.heard.filter((one) => one.startsWith(name)).map((one) => one.slice(name.length + 1)))
    const ended = () => {
      const begun = legs()
      return [...legs('CHANNEL_DESTROY')].filter((uuid) => begun.has(uuid)).length
    }
    await expect.poll(ended, within).toBe(1_000)
    const these = legs()
    const ofThese = (all: Iterable<string>) => [...all].filter((one) => these.has(one.split(' ')[1] ?? ''))
    expect(ofThese(counter.heard)).toHaveLength(4_000)
    await expect.poll(() => ofThese(deliveries.received.values()).length, within).toBe(4_000)
    expect(sorted(ofThese(deliveries.received.values()))).toEqual(sorted(ofThese(counter.heard)))
    const cdrs = async () => (await found(admin)).filter((uuid) => these.has(uuid))
    await expect.poll(async () => (await cdrs()).length, within).toBe(1_000)
    expect(sorted(await cdrs())).toEqual(sorted(these))
    expect(await gapsOf(admin)).toEqual([])
    await Promise.all([counter.close(), deliveries.close()])
  })
})
