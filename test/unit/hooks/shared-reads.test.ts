import { expect, test } from 'vitest'
import { aDeliveryLab, anArrival } from '../../support/hooks/delivery-lab.ts'

/** A lab whose functions count what they read, by domain and id. */
function aCountingLab() {
  const lab = aDeliveryLab()
  const read: string[] = []
  const { hooks, deliveries } = lab.ports
  const ports = {
    ...lab.ports,
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
  return { lab, ports, read }
}

test('the attempts of a batch for one event read the event once', async () => {
  const { lab, ports, read } = aCountingLab()
  for (let hooks = 0; hooks < 10; hooks += 1) await lab.hook()
  await lab.dispatch([anArrival()])

  await lab.workOnce(ports)

  expect(read.toSorted()).toEqual(['event', ...Array<string>(10).fill('hook')])
  expect(lab.deliveries().map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
})

test('the attempts of a batch for one hook read the hook once, and those of the next batch read it again', async () => {
  const { lab, ports, read } = aCountingLab()
  await lab.hook()
  await lab.dispatch([anArrival(), anArrival(), anArrival()])

  await lab.workOnce(ports, 2)
  expect(read.filter((each) => each === 'hook')).toHaveLength(1)
  await lab.workOnce(ports)

  expect(read.filter((each) => each === 'hook')).toHaveLength(2)
})

test('attempts of a batch wait for their receivers concurrently', async () => {
  const { lab, ports } = aCountingLab()
  for (let hooks = 0; hooks < 10; hooks += 1) await lab.hook()
  await lab.dispatch([anArrival()])
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
  await lab.workOnce({ ...ports, hookClient })

  expect(lab.deliveries().map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
})
