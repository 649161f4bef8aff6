import * as fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import { inUsualPlace } from '../../../core/hooks/attempt/usual-places.ts'
import { aDeliveryLab, anArrival } from '../../support/hooks/delivery-lab.ts'
import { aFairDeliveryLab } from '../../support/hooks/fair-delivery-lab.ts'

const busy = 'busy.example.com'
const neighbour = 'neighbour.example.com'

let stop = async () => {}
afterEach(() => stop())

function aLab(silent: readonly string[] = [busy]) {
  const lab = aFairDeliveryLab(silent)
  stop = () => lab.stop()
  return lab
}

test("a tenant with 400 attempts that never end leaves the next free slot to another tenant's first attempt", async () => {
  const lab = aLab()
  const [slow, quiet] = [await lab.hook(busy), await lab.hook(neighbour)]
  for (let event = 0; event < 400; event += 1) await lab.deliver(slow)
  await lab.rest()

  await lab.deliver(quiet)
  await lab.rest()

  expect(lab.begun.filter((domain) => domain === neighbour)).toHaveLength(1)
})

test('another tenant is served during deliveries to a hundred hooks whose receivers are not recorded as slow yet', async () => {
  const lab = aLab()
  const hooks = await Promise.all(Array.from({ length: 100 }, () => lab.hook(busy)))
  const quiet = await lab.hook(neighbour)

  for (let event = 0; event < 10; event += 1) {
    for (const hook of hooks) await lab.deliver(hook)
    await lab.deliver(quiet)
    await lab.rest()
  }

  expect(lab.begun.filter((domain) => domain === neighbour)).toHaveLength(10)
})

test('a hook whose attempt found no free slot is served from the queue of slow receivers from then on', async () => {
  const lab = aLab()
  const hook = await lab.hook(busy)
  for (let event = 0; event < 11; event += 1) await lab.deliver(hook)
  await lab.rest()

  expect(lab.begun).toHaveLength(11)
  expect((await lab.ports.hooks.read(busy, hook.id))?.slowAt).toBeTypeOf('number')
})

test('ten attempts of a tenant at a time are all made from the usual queue', async () => {
  const lab = aLab()
  const hook = await lab.hook(busy)
  for (let event = 0; event < 10; event += 1) await lab.deliver(hook)
  await lab.rest()

  expect(lab.begun).toHaveLength(10)
  expect((await lab.ports.hooks.read(busy, hook.id))?.slowAt).toBeUndefined()
})

test("every quiet tenant's attempts are made, whatever order the attempts of all tenants arrive in", async () => {
  const tenants = ['one.example.com', 'two.example.com', 'three.example.com']
  const order = fc.array(fc.constantFrom(busy, busy, busy, ...tenants), { minLength: 1, maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(order, async (domains) => {
      const lab = aLab()
      const hooks = new Map(
        await Promise.all([busy, ...tenants].map(async (name) => [name, await lab.hook(name)] as const)),
      )
      for (const domain of domains) await lab.deliver(hooks.get(domain) ?? (await lab.hook(domain)))
      await lab.rest()

      for (const tenant of tenants) {
        const wanted = domains.filter((domain) => domain === tenant).length
        expect(lab.begun.filter((domain) => domain === tenant)).toHaveLength(wanted)
      }
      await lab.stop()
    }),
    { numRuns: 15 },
  )
})

test('a slot for a usual attempt is released when its work fails', async () => {
  const places = new Set<string>()
  const rateLimits = {
    async enter() {
      places.add('place')
      return 'place'
    },
    async leave(_key: string, place: string) {
      places.delete(place)
    },
  }

  const work = inUsualPlace({ rateLimits, clock: { now: () => 0 } }, busy, () => Promise.reject(new Error('broken')))

  await expect(work).rejects.toThrow('broken')
  expect(places.size).toBe(0)
})

test('an attempt whose slot cannot be counted is not made from the usual queue', async () => {
  const gone = async () => Promise.reject(new DomainError('store_unavailable', 'gone'))
  const rateLimits = { enter: gone, leave: gone }

  const made = await inUsualPlace({ rateLimits, clock: { now: () => 0 } }, busy, async () => 'made')

  expect(made).toBe('busy')
})

test('a burst of first attempts to a quick receiver leaves it recorded as prompt and not as slow', async () => {
  const lab = aDeliveryLab()
  const hook = await lab.hook()
  for (let batch = 0; batch < 3; batch += 1) await lab.dispatch(Array.from({ length: 10 }, () => anArrival()))

  await Promise.all([lab.workOnce(), lab.workOnce(), lab.workOnce()])
  expect(
    lab.messages().filter(({ isSlow }) => isSlow),
    'there was no place for some',
  ).not.toEqual([])
  await lab.work()

  const stored = await lab.ports.hooks.read(hook.domain, hook.id)
  expect(stored).not.toHaveProperty('slowAt')
  await lab.dispatch([anArrival()])
  await lab.work()
  expect(await lab.ports.hooks.read(hook.domain, hook.id)).toHaveProperty('promptAt')
})
