import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { EventPipeline } from '../../../connector/assembly/event-pipeline.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { UnownedCalls } from '../../../connector/events/unowned-calls.ts'
import { type EventGiven, aCoreUuid, anEngineEvent } from '../../support/engine/engine-event.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aHook } from '../../support/records/records.ts'

const domain = 'a.example.com'

/** The event side over memory stores with one domain and its hooks. */
async function aSide(...wanted: string[]) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: domain }))
  await ports.hooks.create(
    wanted.map((event) => aHook({ event, domain })),
    100,
  )
  const domains = domainNames(ports.domains, time.clock)
  const side = new EventPipeline({
    ...time,
    ports,
    registry: new ChannelRegistry(domains),
    domains,
    isUp: async () => false,
    engines: () => [],
    connectorId: 'connector-1',
    random: () => 0,
    log: capturedLog(),
  })
  void side.follow(() => {}, new AbortController().signal)
  await time.advance(0)
  const send = async (...events: EventGiven[]) => {
    for (const event of events) side.accept(anEngineEvent(event), '192.0.2.1:8021')
    await time.advance(0)
  }
  return { send, published: () => ports.events.published, counters: () => side.counters() }
}

const owned = { variable_w_domain: domain }

test('the beginning of a call from a gateway reaches hooks as soon as the dial plan has named its domain, and once', async () => {
  const { send, published, counters } = await aSide('CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE')
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid, headers: { 'Call-Direction': 'inbound', variable_note: 'begun' } })
  expect(published()).toEqual([])
  await send(
    { name: 'CHANNEL_ANSWER', uuid, headers: owned },
    { name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: owned },
  )

  expect(published()).toMatchObject([
    {
      id: `${aCoreUuid}:${uuid}:CHANNEL_CREATE`,
      name: 'CHANNEL_CREATE',
      domain,
      fields: { 'Event-Domain': domain, variable_note: 'begun' },
    },
    { name: 'CHANNEL_ANSWER', domain },
    { name: 'CHANNEL_HANGUP_COMPLETE', domain },
  ])
  expect(counters().eventsWithoutDomain).toBe(0)
})

test('events of a call before it is of a domain reach no hook, except its beginning', async () => {
  const { send, published } = await aSide('CHANNEL_CREATE', 'DTMF')
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid }, { name: 'DTMF', uuid })
  await send({ name: 'CHANNEL_ANSWER', uuid, headers: owned })

  expect(published().map(({ name }) => name)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
})

test('a call that ends without a domain reaches no hook, and its beginning is counted', async () => {
  const { send, published, counters } = await aSide('CHANNEL_CREATE')
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid })
  expect(counters().eventsWithoutDomain).toBe(0)
  await send({ name: 'CHANNEL_DESTROY', uuid })

  expect(published()).toEqual([])
  expect(counters().eventsWithoutDomain).toBe(1)
})

test('the oldest beginnings are given up when there are too many, by their number or their bytes', () => {
  const begun = (bytes: number) => {
    const event = Object.assign(anEngineEvent({ name: 'CHANNEL_CREATE', uuid: randomUUID() }), { bytes })
    return { event, id: randomUUID(), domain: '', channel: undefined }
  }
  const calls = new UnownedCalls({ events: 2, bytes: 100 })
  const [first, second, third, large] = [begun(1), begun(1), begun(1), begun(99)]

  expect([calls.keep('1', first), calls.keep('2', second), calls.keep('3', third)]).toEqual([0, 0, 1])
  expect(calls.take('1')).toBeUndefined()
  expect(calls.take('2')).toBe(second)
  expect(calls.keep('4', large)).toBe(0)
  expect(calls.keep('5', begun(2))).toBe(2)
  expect([calls.take('3'), calls.take('4')]).toEqual([undefined, undefined])
})
