import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  answered,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'
import { breadth } from '../../support/breadth.ts'
import { type Moment, dying } from '../../support/processes/dying.ts'

/** The answers of a receiver. */
const answers: readonly HookReply[] = [
  ...[200, 204, 301, 404, 408, 410, 429, 500, 503].map((status) => answered(status)),
  answered(503, { headers: { 'retry-after': '7200' } }),
  answered(429, { headers: { 'retry-after': 'nonsense' } }),
  ...['timeout', 'network', 'blocked address'].map(
    (reason): HookReply => ({ outcome: 'failed', reason, durationMs: 1 }),
  ),
]

/** Something that happens on the way of deliveries. */
type Happening =
  | { readonly what: 'event' | 'again' | 'work' | 'sweep' | 'two sweeps' | 'repeat' | 'lose' | 'work by two' }
  | { readonly what: 'killed dispatch' | 'killed work' | 'killed sweep'; readonly moment: Moment }
  | { readonly what: 'time'; readonly minutes: number }
  | { readonly what: 'refusals'; readonly every: number }
  | { readonly what: 'slow' | 'off' | 'on'; readonly hook: number }

const moment = fc.record({ call: fc.integer({ min: 1, max: 25 }), side: fc.constantFrom('before', 'after') })

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('event') }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constantFrom('work', 'work by two') }) },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constantFrom('again', 'sweep', 'two sweeps', 'repeat', 'lose') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constantFrom('killed dispatch', 'killed work', 'killed sweep'), moment }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('time'), minutes: fc.constantFrom(0.1, 1, 6, 40, 900) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('refusals'), every: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('slow', 'off', 'on'), hook: fc.nat({ max: 2 }) }) },
)

interface Harness {
  readonly pipeline: DeliveryHarness
  readonly hooks: readonly Hook[]
  readonly events: PlatformEvent[]
}

async function happen({ pipeline, hooks, events }: Harness, one: Happening): Promise<void> {
  switch (one.what) {
    case 'event':
      events.push(anArrival())
      return void (await pipeline.dispatch(events.slice(-1)))
    case 'again':
      return void (await pipeline.dispatch(events.slice(0, 10)))
    case 'work':
      return void (await pipeline.workOnce())
    case 'work by two':
      return void (await Promise.all([pipeline.workOnce(pipeline.ports, 2), pipeline.workOnce(pipeline.ports, 2)]))
    case 'sweep':
      return pipeline.sweep()
    case 'two sweeps':
      return void (await Promise.all([pipeline.sweep(), pipeline.sweep()]))
    case 'repeat':
      return pipeline.messages().length > 100 ? undefined : pipeline.repeat()
    case 'lose':
      return pipeline.lose()
    case 'killed dispatch':
      events.push(anArrival())
      return void (await pipeline.dispatch(events.slice(-1), dying(pipeline.ports, one.moment).ports))
    case 'killed work':
      return void (await pipeline.workOnce(dying(pipeline.ports, one.moment).ports))
    case 'killed sweep':
      return pipeline.sweep(dying(pipeline.ports, one.moment).ports)
    case 'time':
      return pipeline.clock.move(one.minutes * 60_000)
    case 'refusals': {
      let count = 0
      pipeline.ports.deliveryQueue.refuses = () => (count += 1) % one.every === 0 && count < 10
      return
    }
    case 'slow':
      return pipeline.ports.hooks.noteLate(hooks[one.hook] ?? { domain: '', id: '' }, pipeline.clock.now())
    case 'off':
    case 'on': {
      const { domain = '', id = '' } = hooks[one.hook] ?? {}
      const hook = await pipeline.ports.hooks.read(domain, id)
      if (hook !== undefined)
        await pipeline.ports.hooks.replace({ ...hook, enable: one.what === 'on', version: hook.version + 1 })
    }
  }
}

it('each event ends as one delivery with a correct log, whatever receivers, functions, messages and clocks do', async () => {
  const scripts = fc.array(fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 6 }), {
    minLength: 3,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(scripts, fc.array(happening, { maxLength: 25 }), async (given, happenings) => {
      const pipeline = aDeliveryHarness()
      const hooks = await Promise.all(
        given.map((script, index) => pipeline.hook({ answers: script, retries: index * 2 })),
      )
      const harness: Harness = { pipeline, hooks, events: [] }

      for (const one of happenings) await happen(harness, one)
      // The end of all faults: what was not dispatched comes again.
      pipeline.ports.deliveryQueue.refuses = () => false
      for (const event of harness.events) expect(await pipeline.dispatch([event])).toBe(0)
      await pipeline.settle()

      for (const [index, hook] of hooks.entries()) {
        const known = new Set(
          pipeline.deliveries().flatMap(({ hookId, eventId }) => (hookId === hook.id ? [eventId] : [])),
        )
        // One that was off at times wants no events of those times.
        const wanted = harness.events.filter(({ id }) => known.has(id) || wasOnThroughout(happenings, given[index]))
        checkDeliveries(pipeline, wanted, [hook])
      }
    }),
    { seed: 20260115, numRuns: breadth(50, 200) },
  )
})

/** Whether nothing may have switched the hook off. */
function wasOnThroughout(happenings: readonly Happening[], script: readonly HookReply[] = []): boolean {
  const isGone = script.some((reply) => reply.outcome === 'answered' && reply.status === 410)
  return !isGone && happenings.every(({ what }) => what !== 'off')
}
