import { expect, it } from 'vitest'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import { aDispatch, answer } from '../../support/hooks/direct-dispatch.ts'
import { anEvent } from '../../support/records/records.ts'

const domains = Array.from({ length: 10 }, (_, at) => `cold-${at}.example.com`)
const names = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_DESTROY']

it('of 3 000 events of ten domains with three hooks each, which a process dispatches that is busy for seconds each time, each is sent once, and none waits in a queue', async () => {
  const hooks = domains.flatMap((domain) => names.map((event) => ({ domain, event })))
  const { deps, ports, advance, stall, deliveries, stored } = await aDispatch(...hooks)
  const sent: string[] = []
  let held: ((reply: HookReply) => void)[] = []
  const hookClient: typeof deps.hookClient = {
    send: ({ headers }) => {
      sent.push(headers['webhook-id'] ?? '')
      return new Promise((resolve) => void held.push(resolve))
    },
  }
  for (let round = 0; round < 100; round += 1) {
    const events = domains.flatMap((domain) => names.map((name) => anEvent({ domain, name })))
    const dispatching = dispatchEvents({ ...deps, hookClient }, events)
    await advance(10)
    // Its answers are there, but it does not look for them.
    await stall(4_000)
    for (const reply of held) reply(answer(200))
    held = []
    expect((await dispatching).every(({ error }) => error === undefined)).toBe(true)
  }

  expect([sent.length, new Set(sent).size]).toEqual([3_000, 3_000])
  expect(deliveries().map(({ state, tries }) => `${state} ${tries}`)).toEqual(Array(3_000).fill('delivered 1'))
  // Only what a killed process would need, which is void before it is due.
  expect(ports.deliveryQueue.queued.filter(({ delaySeconds }) => delaySeconds === 0)).toEqual([])
  for (let at = 0; at < hooks.length; at += 1) expect(await stored(at)).not.toHaveProperty('lateAt')
})
