import { describe, expect, test } from 'vitest'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import type { EventUpdate } from '../../../core/cdr/cdr-update.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { type PipelineHarness, harnessDomain, pipelineHarness } from '../../support/connector/pipeline-harness.ts'
import { ofCaller } from '../../support/engine/leg-fields.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { aDomain } from '../../support/records/records.ts'

const [call, other] = ['c0ffee00-0000-4000-8000-000000000001', 'c0ffee00-0000-4000-8000-000000000002']
const unhooked = 'b.example.com'

const created = (harness: PipelineHarness) => `${harness.time.clock.now()}000`
const inDomain = (
  harness: PipelineHarness,
  domain = harnessDomain,
  headers: Readonly<Record<string, string>> = {},
) => ({
  'Caller-Context': domain,
  'Caller-Channel-Created-Time': created(harness),
  ...headers,
})

/** Lists the events that were queued for the index, in order. */
const indexed = ({ ports }: PipelineHarness) =>
  ports.cdrQueue.queued.filter((update): update is EventUpdate => update.kind === 'event')

async function aHarness() {
  const harness = await pipelineHarness()
  await harness.ports.domains.create(aDomain({ name: unhooked }))
  return harness
}

const spoolOf = (disk: ReturnType<typeof memoryDisk>, name: string) => ({
  folder: '/spool',
  bytes: 64 * 1024 * 1024,
  files: disk,
  owner: spoolOwner(name),
})

describe('the end of a leg', () => {
  test('the end of a leg is sent to the index of CDRs with all its fields, even if its domain has no hook', async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()

    const headers = inDomain(harness, unhooked, { variable_duration: '7' })
    await connector.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid: call.toUpperCase(), sequence: 9, headers })

    expect(indexed(harness)).toEqual([
      {
        kind: 'event',
        id: `cdr:${aCoreUuid}:${call}:CHANNEL_HANGUP_COMPLETE`,
        uuid: call,
        domain: unhooked,
        occurredAt: 1_768_478_400_000,
        fields: expect.objectContaining({ ...headers, 'Event-Name': 'CHANNEL_HANGUP_COMPLETE' }),
      },
    ])
    expect(harness.eventsOf(call)).toEqual([])
    expect(connector.side.counters()).toMatchObject({ cdrsRelayed: 1, eventsRelayed: 1 })
    expect(harness.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::engine_connected'])
  })

  test('the end of a leg that a hook wants is sent once to each of the two queues', async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()

    for (const name of ['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await connector.emit({ name, uuid: call, headers: inDomain(harness) })
    }

    expect(harness.eventsOf(call)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
    expect(indexed(harness)).toHaveLength(1)
  })

  test('the end of a leg without a domain, or of something that is no channel, makes no CDR', async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()

    await connector.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid: call, headers: inDomain(harness, 'public') })
    await connector.emit({ name: 'CHANNEL_HANGUP_COMPLETE', headers: inDomain(harness) })

    expect(indexed(harness)).toEqual([])
  })

  test('the end of a leg that two connectors read has one id', async () => {
    const harness = await aHarness()
    const connectors = [await harness.connector('one'), await harness.connector('two')]

    for (const connector of connectors) {
      await connector.up()
      const event = { name: 'CHANNEL_HANGUP_COMPLETE', uuid: call, sequence: 9, headers: inDomain(harness) }
      await connector.emit(event)
    }

    expect(indexed(harness)).toHaveLength(1)
  })

  test('a missed end of a leg is synthesized, and names its leg', async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()
    const joined = { 'Other-Type': 'originator', 'Other-Leg-Unique-ID': other, 'Channel-Name': 'sofia/internal/1001' }
    await connector.emit({ name: 'CHANNEL_CREATE', uuid: call, headers: inDomain(harness, harnessDomain, joined) })

    await connector.down()
    await harness.time.advance(1_000)
    await connector.up()
    await harness.time.advance(60_000)

    const [end] = indexed(harness)
    expect(end).toMatchObject({ uuid: call, domain: harnessDomain, fields: { Synthetic: 'true' } })
    expect(end && cdrFromEvent(end)).toMatchObject({
      source: 'made',
      cdr: { leg: 'b', parent_uuid: other, created_time: 1_768_478_400_000 },
    })
  })

  test('a synthetic end of a leg and the fuller real one from another connector both go to the index', async () => {
    const harness = await aHarness()
    const [one, two] = [await harness.connector('one'), await harness.connector('two')]
    for (const connector of [one, two]) {
      await connector.up()
      await connector.emit({ name: 'CHANNEL_CREATE', uuid: call, sequence: 1, headers: inDomain(harness) })
    }
    await one.down()
    await one.up()
    await harness.time.advance(60_000)
    expect(indexed(harness).map(({ fields }) => fields['Synthetic'])).toEqual(['true'])

    const headers = inDomain(harness, harnessDomain, { variable_billsec: '7' })
    await two.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid: call, sequence: 2, headers })

    expect(indexed(harness).flatMap((end) => cdrFromEvent(end)?.cdr.billsec ?? [])).toEqual([7])
  })

  test("the synthetic end of a phone's leg names the authenticated user, even if its From header named another", async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()
    const caller = { ...ofCaller(`1001@${harnessDomain}`), 'Channel-Presence-ID': `1000@${harnessDomain}` }
    await connector.emit({ name: 'CHANNEL_CREATE', uuid: call, headers: inDomain(harness, harnessDomain, caller) })

    await connector.down()
    await connector.up()
    await harness.time.advance(60_000)

    const [end] = indexed(harness)
    expect(end && cdrFromEvent(end)).toMatchObject({ source: 'made', cdr: { presence_id: `1001@${harnessDomain}` } })
  })

  test('the synthetic end of the second leg of a loopback pair says that it was the second', async () => {
    const harness = await aHarness()
    const connector = await harness.connector()
    await connector.up()
    const half = { 'Channel-Name': 'loopback/9198-b' }
    await connector.emit({ name: 'CHANNEL_CREATE', uuid: call, headers: inDomain(harness, harnessDomain, half) })

    await connector.down()
    await connector.up()
    await harness.time.advance(60_000)

    const [end] = indexed(harness)
    expect(end && cdrFromEvent(end)).toMatchObject({ cdr: { leg: 'b' } })
  })
})

describe('while a queue is away', () => {
  test('the CDR index gets the ends of legs although the event queue accepts nothing', async () => {
    const harness = await aHarness()
    const events = { ...harness.ports.events, publish: () => Promise.reject(new Error('away')) }
    const connector = await harness.connector('one', { ports: { ...harness.ports, events } })
    await connector.up()

    await connector.emit({ name: 'CHANNEL_CREATE', uuid: call, headers: inDomain(harness) })
    await connector.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid: call, headers: inDomain(harness) })

    expect(indexed(harness)).toHaveLength(1)
    // The link came up, and the call began and ended.
    expect(connector.side.waiting).toBe(3)
  })

  test('hooks get their events while the CDR index is down, and the index gets what waited when it is back', async () => {
    const harness = await aHarness()
    let isAway = true
    const send: typeof harness.ports.cdrQueue.send = (updates) =>
      isAway ? Promise.reject(new Error('away')) : harness.ports.cdrQueue.send(updates)
    const connector = await harness.connector('one', { ports: { ...harness.ports, cdrQueue: { send } } })
    await connector.up()

    for (const uuid of [call, other]) {
      await connector.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: inDomain(harness) })
    }
    expect([harness.eventsOf(call), harness.eventsOf(other)]).toEqual([
      ['CHANNEL_HANGUP_COMPLETE'],
      ['CHANNEL_HANGUP_COMPLETE'],
    ])
    expect(connector.side.waiting).toBe(2)
    isAway = false
    await harness.time.advance(60_000)

    expect(
      indexed(harness)
        .map(({ uuid }) => uuid)
        .toSorted(),
    ).toEqual([call, other])
    expect(connector.side.waiting).toBe(0)
  })

  test('while a queue is away, the CDRs of a killed connector are on disk, and the next connector sends them', async () => {
    const harness = await aHarness()
    const disk = memoryDisk()
    const cdrQueue = { send: () => Promise.reject(new Error('away')) }
    const old = await harness.connector('one', { ports: { ...harness.ports, cdrQueue }, spool: spoolOf(disk, '1') })
    await old.up()
    await old.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid: call, headers: inDomain(harness, unhooked) })
    await harness.time.advance(2_000)

    const next = await harness.connector('two', { spool: spoolOf(disk, '2') })
    await next.up()
    while (next.side.waiting > 0) await harness.time.advance(500)

    expect(indexed(harness)).toMatchObject([{ uuid: call, domain: unhooked }])
    expect(harness.eventsOf(call)).toEqual([])
  })
})
