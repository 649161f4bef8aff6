/** A whole connector whose engine sends what cannot be read, or very much of it. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { checkConnector } from '../../support/invariants/connector-invariants.ts'
import { aHook } from '../../support/records/records.ts'
import { aRunningConnector, tenant } from '../../support/connector/running-connector.ts'

const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

/** A connected connector whose tenant has a hook on calls that begin. */
async function aHarness() {
  const engine = await startScriptedEngine()
  const running = await aRunningConnector([{ host: '127.0.0.1', port: engine.port, password: 'ClueCon' }])
  opened.push(
    () => engine.close(),
    () => running.stop(),
  )
  await running.ports.hooks.create([aHook({ event: 'CHANNEL_CREATE', domain: 'a.example.com' })], 1)
  await running.until(() => running.connector.health().status === 'OK')
  await running.time.advance(2_000)
  const begin = () => {
    const uuid = randomUUID()
    engine.emit({ 'Event-Name': 'CHANNEL_CREATE', 'Unique-ID': uuid, 'Caller-Context': 'a.example.com' })
    return { id: `${engine.coreUuid}:${uuid}:CHANNEL_CREATE`, uuid }
  }
  const publishedAs = (uuid: string) =>
    running.ports.events.published
      .filter((event) => event.uuid === uuid && event.name === 'CHANNEL_CREATE')
      .map(({ id }) => id)
  return { engine, running, begin, publishedAs }
}

const frame = (type: string, body: string) =>
  `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: ${type}\n\n${body}`

/** Bodies of an event's frame that are no event. */
const unreadable: readonly (readonly [what: string, bytes: string])[] = [
  ['is cut', frame('text/event-json', '{"Event-Name":"CHANNEL_CREATE","Unique-ID":"x')],
  ['is empty', frame('text/event-json', '')],
  ['is no object', frame('text/event-json', '["CHANNEL_CREATE"]')],
  ['has an unknown escape', frame('text/event-json', String.raw`{"Event-Name":"\x41"}`)],
  ['is nested deeper than anybody means', frame('text/event-json', `{"A":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)],
  ['is in XML', frame('text/event-xml', '<event><headers></headers></event>')],
  ['is in the plain format', frame('text/event-plain', 'Event-Name: CHANNEL_CREATE\n\n')],
]

test.each(unreadable)(
  'F11 an event that %s is counted and skipped, and the next is published',
  async (_what, bytes) => {
    const { engine, running, begin, publishedAs } = await aHarness()
    const before = begin()

    engine.send(bytes)
    const after = begin()
    await running.until(() => publishedAs(after.uuid).length > 0)
    await running.time.advance(60_000)

    const [health] = running.connector.health().engines
    expect([health?.events.unreadableEvents, health?.events.connections]).toEqual([1, 1])
    const wanted = [before, after].map(({ id, uuid }) => ({ id, publishedAs: publishedAs(uuid) }))
    expect(wanted.map((fact) => fact.publishedAs.length)).toEqual([1, 1])
    expect(await running.ports.gaps.list(0)).toMatchObject([{ reason: 'unreadable', dropped: { count: 1 } }])
    await checkConnector(running, { engine, wanted })
  },
)

test('F12 a list of 30 MiB is answered completely, and delays no event', async () => {
  const { engine, running, begin, publishedAs } = await aHarness()
  const rows = Array.from({ length: 30_000 }, () => ({
    uuid: randomUUID(),
    context: 'a.example.com',
    application_data: 'x'.repeat(1_000),
  }))
  const text = jsonRows(rows)
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  engine.answer = async (command) => {
    if (command !== 'show channels as json') return jsonRows([])
    asked.resolve()
    await released.promise
    return text
  }

  const message = await running.post({ kind: 'list-channels' }, tenant)
  await running.atOnce(() => running.connector.health().counters['commandsInFlight'] === 1)
  await asked.promise
  const meanwhile = begin()
  await running.atOnce(() => publishedAs(meanwhile.uuid).length === 1)
  released.resolve()
  await running.until(async () => (await running.outcome(message)) !== undefined)
  const afterwards = begin()
  await running.atOnce(() => publishedAs(afterwards.uuid).length === 1)

  const outcome = await running.outcome(message)
  expect(text.length).toBeGreaterThan(30 * 1_048_576)
  expect(outcome?.state === 'done' ? JSON.parse(outcome.text) : outcome).toMatchObject({ row_count: 30_000 })
  const wanted = [meanwhile, afterwards].map(({ id, uuid }) => ({ id, publishedAs: publishedAs(uuid) }))
  expect(running.connector.health().counters['memoryBytes']).toBe(0)
  await checkConnector(running, { engine, wanted })
}, 120_000)
