/** Undocumented behaviour of real engines, on the bytes that they sent; docs/engine-behaviour.md lists all of it. */
import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { type EslEvent } from '@callplane/esl'
import { EventPipeline } from '../../../connector/assembly/event-pipeline.ts'
import { subscriptions } from '../../../connector/events/subscriptions.ts'
import { EngineMarks } from '../../../connector/recovery/event-link.ts'
import { EventLinks } from '../../../connector/recovery/event-links.ts'
import type { GapFound } from '../../../connector/recovery/gap-log.ts'
import { isEventName } from '../../../core/events/catalogue.ts'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import { framesOf, recordedBytes } from '../../support/engine/engine-recordings.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aHook } from '../../support/records/records.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'
import { startTcpProxy } from '../../support/processes/tcp-proxy.ts'

const tenant = 'tenant1.example.com'
const engine = '192.0.2.1:8021'

const recordedTexts = (name: string) => framesOf(recordedBytes(name)).map(({ body }) => body.toString())

/** The event side with hooks of the recorded domain on the events given, and all that it has relayed. */
async function aSide(wanted: readonly string[]) {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 52))
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: tenant }))
  const hooks = wanted.map((event) => aHook({ event, domain: tenant }))
  await ports.hooks.create(hooks, hooks.length)
  const domains = domainNames(ports.domains, time.clock)
  const registry = new ChannelRegistry(domains)
  const side = new EventPipeline({
    ...time,
    ports,
    registry,
    domains,
    wanted: subscriptions({ ...time, reader: ports.subscriptions, log: capturedLog() }),
    engines: [],
    connectorId: 'connector-1',
    random: () => 0,
    log: capturedLog(),
  })
  void side.follow(() => {}, new AbortController().signal)
  await time.advance(0)
  const hear = async (event: EslEvent) => {
    side.accept(event, engine)
    await time.advance(0)
  }
  const relayed = () => ports.events.published.filter(({ name }) => !name.includes('svc::'))
  return { time, ports, registry, hear, relayed }
}

describe('the events of a call', () => {
  test('the events of a call, even before its creation and after its destruction, make one call with one beginning and end', async () => {
    const events = recordedEslEvents('events/inbound-sip-echo.json')
    const wanted = [...new Set(events.map(({ name }) => name))]
    const { time, registry, hear, relayed } = await aSide(wanted)

    for (const event of events) await hear(event)
    await time.advance(100)

    // The first event of all does not tell whose call it is.
    const [first, ...rest] = events.filter(({ name }) => isEventName(name) && name !== 'PRESENCE_IN')
    expect(first?.header('Caller-Context')).toBeUndefined()
    expect([events[0], events[1], events.at(-1)].map((event) => event?.name)).toEqual([
      'CHANNEL_STATE',
      'CODEC',
      'CHANNEL_STATE',
    ])
    expect(
      relayed()
        .filter(({ name }) => name !== 'PRESENCE_IN')
        .map(({ name, fields }) => [name, fields['Event-Sequence']]),
    ).toEqual(rest.map(({ name, sequence }) => [name, sequence]))
    expect(registry.size).toBe(0)
  })

  test('the last two events of a call end it once and at their own time, although the engine posts a CDR for 2.5 s before them', async () => {
    const events = recordedEslEvents('cdr-json/slow-cdr-server')
    const { time, registry, hear, relayed } = await aSide(events.map(({ name }) => name))

    const [hangUp, ...ends] = events
    if (hangUp !== undefined) await hear(hangUp)
    await time.advance(2_488)
    const before = [relayed().map(({ name }) => name), registry.size]
    for (const event of ends) await hear(event)
    await time.advance(60_000)

    expect(before).toEqual([['CHANNEL_HANGUP'], 1])
    expect(relayed().map(({ name, fields }) => [name, fields['Synthetic']])).toEqual([
      ['CHANNEL_HANGUP', undefined],
      ['CHANNEL_HANGUP_COMPLETE', undefined],
      ['CHANNEL_DESTROY', undefined],
    ])
    expect(registry.size).toBe(0)
  })
})

test.each(['bench/stream-json', 'bench/stream-plain'])(
  'numbers that run backwards and leave holes make no gap: %s',
  (name) => {
    const time = manualTime()
    const gaps: GapFound[] = []
    const links = new EventLinks({
      ...time,
      marks: new EngineMarks(),
      gaps: { add: (gap) => void gaps.push(gap), unstoredFrom: () => undefined },
    })
    const sequences: number[] = []

    for (const event of recordedEslEvents(name)) {
      if (sequences.length === 0) links.up(engine, event.coreUuid)
      links.heard(event, engine)
      sequences.push(Number(event.sequence))
    }
    links.settle()

    const inOrder = sequences.toSorted((a, b) => a - b)
    expect(sequences).not.toEqual(inOrder)
    expect((inOrder.at(-1) ?? 0) - (inOrder[0] ?? 0)).toBeGreaterThanOrEqual(inOrder.length)
    expect([gaps, links.hasGaps(engine)]).toEqual([[], false])
  },
)

test('commands and events use separate links, since the engine delays events of a link while a command runs on it', async () => {
  const types = framesOf(recordedBytes('control/api-blocks-connection')).map(({ contentType }) => contentType)
  const answer = types.indexOf('api/response')
  expect(types.slice(answer)).toEqual(['api/response', 'api/response', 'text/event-plain', 'text/event-plain'])

  const harness = await aHarness()
  const listening = harness.asked.slice(0, 2).map((text) => / BACKGROUND_JOB\n/.test(text))

  expect(new Set(listening)).toEqual(new Set([false, true]))
  await harness.close()
})

/** A connector that has placed a call, looked for a channel, compared its registrations and listed its channels. */
async function aHarness() {
  const answering = await startScriptedEngine()
  const proxy = await startTcpProxy(answering.port)
  const running = await aRunningConnector([{ host: '127.0.0.1', port: proxy.port, password: 'ClueCon' }])
  await running.until(() => running.connector.health().status === 'OK')
  await running.time.advance(500)
  await running.post(anOriginate())
  await running.until(() => answering.jobs.length === 1)
  await running.run({ kind: 'hold', uuid: '00000000-0000-4000-8000-000000000001' })
  await running.run({ kind: 'list-channels' })
  answering.cutEvents()
  await running.until(() => answering.asked.includes('show registrations as json'))
  return {
    asked: proxy.connections.map(({ asked }) => asked),
    api: answering.asked,
    close: async () => {
      await running.stop()
      await proxy.close()
      await answering.close()
    },
  }
}

test('the connector never asks an engine for unescaped or ambiguous formats: no CSV, myevents or filter', async () => {
  const csv = recordedTexts('api/csv-unescaped').find((text) => text.startsWith('uuid,'))
  const widths = csv?.split('\n').flatMap((line) => (line.includes(',') ? line.split(',').length : []))
  expect(new Set(widths).size).toBeGreaterThan(1)

  const harness = await aHarness()
  const verbs = new Set(
    harness.asked.flatMap((text) => Array.from(text.matchAll(/(?:^|\n\n)(\w+)/g), ([, verb]) => verb)),
  )

  expect(harness.api.filter((line) => line.startsWith('show ') && !line.endsWith(' as json'))).toEqual([])
  expect(harness.api).toContain('show channels as json')
  expect(verbs).toEqual(new Set(['api', 'auth', 'bgapi', 'event']))
  expect(harness.asked.join('').match(/\nevent (?!json )/g)).toBeNull()
  await harness.close()
})

test('the subclass of a CUSTOM event is case-sensitive', async () => {
  const { hear, relayed, ports, time } = await aSide(['CUSTOM->sofia::REGISTER'])
  const registers = recordedEslEvents('events/registrations.json').filter(
    ({ subclass }) => subclass === 'sofia::register',
  )

  for (const event of registers) await hear(event)
  expect([registers.length > 0, relayed()]).toEqual([true, []])
  await ports.hooks.create([aHook({ event: 'CUSTOM->sofia::register', domain: tenant })], 2)
  await time.advance(2_000)
  for (const event of registers) await hear(event)

  expect(new Set(relayed().map(({ name }) => name))).toEqual(new Set(['CUSTOM->sofia::register']))
})
