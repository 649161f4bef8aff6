import { expect, test } from 'vitest'
import { aDeliveryHarness, anArrival } from '../../support/hooks/delivery-harness.ts'

/** A harness whose functions count what they read, by domain and id. */
function aCountingHarness() {
  const harness = aDeliveryHarness()
  const read: string[] = []
  const { hooks, deliveries } = harness.ports
  const ports = {
    ...harness.ports,
    hooks: {
      ...hooks,
      read: async (...place: Parameters<typeof hooks.read>) => (read.push('hook'), hooks.read(...place)),
    },
    deliveries: {
      ...deliveries,
      readEvent: async (...of: Parameters<typeof deliveries.readEvent>) => (
        read.push('event'), deliveries.readEvent(...of)
      ),
    },
  }
  return { harness, ports, read }
}

test('the attempts of a batch for one event read the event once', async () => {
  const { harness, ports, read } = aCountingHarness()
  for (let hooks = 0; hooks < 10; hooks += 1) await harness.hook()
  await harness.dispatch([anArrival()])

  await harness.workOnce(ports)

  expect(read.toSorted()).toEqual(['event', ...Array<string>(10).fill('hook')])
  expect(harness.deliveries().map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
})

test('the attempts of a batch for one hook read the hook once, and those of the next batch read it again', async () => {
  const { harness, ports, read } = aCountingHarness()
  await harness.hook()
  await harness.dispatch([anArrival(), anArrival(), anArrival()])

  await harness.workOnce(ports, 2)
  expect(read.filter((each) => each === 'hook')).toHaveLength(1)
  await harness.workOnce(ports)

  expect(read.filter((each) => each === 'hook')).toHaveLength(2)
})

test('attempts of a batch wait for their receivers concurrently', async () => {
  const { harness, ports } = aCountingHarness()
  for (let hooks = 0; hooks < 10; hooks += 1) await harness.hook()
  await harness.dispatch([anArrival()])
  const all = Promise.withResolvers<void>()
  let requests = 0
  const hookClient: typeof ports.hookClient = {
    ...ports.hookClient,
    send: async (request) => {
      requests += 1
      if (requests === 10) all.resolve()
      await all.promise
      return ports.hookClient.send(request)
    },
  }
  await harness.workOnce({ ...ports, hookClient })

  expect(harness.deliveries().map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
})
