/** The first seconds of a platform under load: whatever our own slowness is taken for, no receiver may notice. */
import { expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import { openDeliveryCounter } from '../support/engine/delivery-counter.ts'
import { aPlatform } from '../support/platform/platform.ts'

const domains = Array.from({ length: 10 }, (_, at) => `cold-${at}.example.com`)
const subclasses = ['cold::first', 'cold::second', 'cold::third']
/** Events of each hook, all sent at once. */
const each = 60

it('of 1 800 events of ten domains with three hooks each, sent at once to a platform that has just started, each arrives once, by one attempt', async () => {
  const platform = await aPlatform()
  const counter = await openDeliveryCounter()
  const clients: Client[] = []
  for (const domain of domains) {
    const client = await platform.tenant(domain)
    const action = { type: 'web' as const, method: 'POST', url: counter.url }
    await client.call('createHooks', { body: subclasses.map((name) => ({ event: `CUSTOM->${name}`, action })) })
    clients.push(client)
  }
  const [client = expect.fail()] = clients
  await platform.hooksInForce(client, domains[0] ?? '')
  const engine = await platform.engine()
  for (let sent = 0; sent < each; sent += 1) {
    for (const domain of domains) for (const subclass of subclasses) engine.sendEvent(subclass, domain)
  }

  const all = domains.length * subclasses.length * each
  await vi.waitUntil(() => counter.received.size >= all, { timeout: 240_000, interval: 200 })
  for (const one of clients) {
    const hooks = (await one.call('listHooks')).data.filter(({ event = '' }) => event.startsWith('CUSTOM->cold::'))
    expect(hooks).toHaveLength(subclasses.length)
    for (const { _id = '' } of hooks) await expect.poll(() => logOf(one, _id), { timeout: 30_000 }).toEqual(delivered)
  }
  expect([counter.received.size, counter.requests()], 'nothing arrives twice').toEqual([all, all])
  await counter.close()
  await platform.close()
}, 360_000)

/** What the log says of the deliveries of a hook, each by one attempt. */
const delivered = Array.from({ length: each }, () => 'delivered by 1')

async function logOf(client: Client, hookId: string): Promise<string[]> {
  const { data } = await client.call('listDeliveries', { params: { hook_id: hookId }, query: { limit: 100 } })
  return data.map(({ state, attempts = [] }) => `${state} by ${attempts.length}`)
}
