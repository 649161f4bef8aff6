import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryEventSink } from '../support/memory/memory-event-sink.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { environment } from '../../contracts/environment.ts'
import { eventMessage } from '../../contracts/messages/event.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { CloudGate } from '../support/stores/cloud-gate.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { openCloudQueues } from '../support/stores/cloud-queues.ts'
import { opened } from '../support/processes/opened.ts'
import { anEvent } from '../support/records/records.ts'
import { watchSink } from '../support/invariants/sink-invariants.ts'
import { openTaskCredentials } from '../support/connector/task-credentials.ts'

interface Rig {
  readonly sink: EventSink
  taken(): readonly PlatformEvent[]
  close(): Promise<void>
}

const kinds: readonly { readonly name: string; readonly open: () => Promise<Rig> }[] = [
  {
    name: 'memory',
    open: async () => {
      const sink = memoryEventSink()
      return { sink, taken: () => sink.published, close: async () => {} }
    },
  },
  {
    name: 'SQS',
    open: async () => {
      const sqs = await openSqs()
      return { ...sqs, taken: () => sqs.server.waiting('events').map(({ body }) => asEvent(body)) }
    },
  },
]

describe.each(kinds)('events in $name', (kind) => {
  const rig = opened(kind.open)

  test('the events of a call are queued whole and in order, and a repeated id once', async () => {
    const { uuid } = anEvent()
    const events = Array.from({ length: 25 }, (_, index) =>
      anEvent({ id: `core:${index}`, uuid, ...(index % 2 === 0 ? {} : { requestId: `request-${index}` }) }),
    )

    expect(await rig().sink.publish(events)).toEqual([])
    expect(await rig().sink.publish(events.slice(0, 3))).toEqual([])

    expect(rig().taken()).toEqual(events)
  })

  test('publishing no event changes nothing', async () => {
    expect(await rig().sink.publish([])).toEqual([])
  })
})

describe('events on the queue', () => {
  const rig = opened(openSqs)

  test('events of an invocation that X-Ray records are sent with its trace, and are taken', async () => {
    const { context, gate } = rig()
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'
    gate.calls.length = 0

    const sink = sqsEventSink({ ...context, env: { ...context.env, _X_AMZN_TRACE_ID: trace } })

    expect(await sink.publish([anEvent({ id: 'traced:1' }), anEvent({ id: 'traced:2' })])).toEqual([])
    const attributes = { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } } }
    expect(gate.calls[0]?.input['Entries']).toMatchObject([attributes, attributes])
  })

  const aCall = (at: number) => `11111111-2222-4333-8444-${String(at).padStart(12, '0')}`

  test('the events of a call are in one message group, and so are those of a domain that belong to no call', async () => {
    const { sink, server } = fresh()
    const ofCall = ['a:1', 'a:2'].map((id) => anEvent({ id, uuid: aCall(1), domain: 'x.test' }))
    const ofDomain = ['b:1', 'b:2'].map((id) => anEvent({ id, uuid: '', domain: 'x.test' }))

    await sink.publish([...ofCall, ...ofDomain])

    const groups = server.waiting('events').map(({ group }) => group)
    expect(groups[0]).toBe(groups[1])
    expect(groups[2]).toBe(groups[3])
  })

  test('the events of a domain are in four message groups that no other domain shares, however many calls it has', async () => {
    const { sink, server } = fresh()
    const of = (domain: string) =>
      Array.from({ length: 50 }, (_, at) => anEvent({ id: `${domain}:${at}`, uuid: aCall(at), domain }))

    await sink.publish([...of('x.test'), ...of('y.test')])

    const waiting = server.waiting('events').map(({ group, body }) => ({ group, domain: asEvent(body).domain }))
    const groupsOf = (domain: string) =>
      new Set(waiting.filter((one) => one.domain === domain).map(({ group }) => group))
    expect(groupsOf('x.test').size).toBe(4)
    expect([...groupsOf('x.test')].filter((group) => groupsOf('y.test').has(group))).toEqual([])
  })

  test('an id or group that the queue would refuse is always replaced by the same valid one', async () => {
    const { sink, server } = fresh()
    const odd = anEvent({ id: 'ключ 1', uuid: '', domain: `${'d.'.repeat(100)}test` })

    expect(await sink.publish([odd])).toEqual([])
    expect(await sink.publish([odd])).toEqual([])

    expect(server.waiting('events').map(({ body }) => asEvent(body))).toEqual([odd])
  })

  test('an event with text that the queue would refuse is received unchanged', async () => {
    const { sink, server } = fresh()
    const event = anEvent({ fields: { odd: 'a\uFFFE\uFFFF\u0000\u000B🙂\u007F' } })

    expect(await sink.publish([event])).toEqual([])

    expect(server.waiting('events').map(({ body }) => asEvent(body))).toEqual([event])
  })

  test('large events are cut into batches that the queue takes', async () => {
    const { sink, server } = fresh()
    const fields = { filler: 'x'.repeat(240_000) }
    const events = Array.from({ length: 9 }, (_, index) => anEvent({ id: `large:${index}`, fields }))

    expect(await sink.publish(events)).toEqual([])

    expect(server.waiting('events')).toHaveLength(9)
  })

  test('an event of nearly 1 MiB is sent whole, and a larger one with its large values cut', async () => {
    const { sink, server } = fresh()
    const whole = anEvent({ id: 'large:whole', fields: { ascii: 'x'.repeat(400_000), others: '🙂'.repeat(49_000) } })
    const larger = anEvent({ id: 'large:cut', fields: { ...whole.fields, more: 'y'.repeat(20_000) } })

    expect(await sink.publish([whole, larger])).toEqual([])

    const [first, second] = server.waiting('events').map(({ body }) => asEvent(body))
    expect(first).toEqual(whole)
    expect(second?.fields).toMatchObject({ Truncated: 'true' })
  })

  test('F25 of a partly failed batch the later events of the failed one wait with it, those of other calls go on', async () => {
    const { server, gate } = rig()
    const watched = watchSink(rig())
    const [callA, callB] = ['a'.repeat(36), 'b'.repeat(36)]
    const events = Array.from({ length: 24 }, (_, index) =>
      anEvent({ id: `order:${index}`, uuid: index % 2 === 0 ? callA : callB }),
    )
    failEntry(gate, 'order:8')

    const refused = await watched.publish(events)

    // The eight stands in the first batch of ten; what follows of its call is in later batches.
    expect(refused).toEqual(['order:8', ...[10, 12, 14, 16, 18, 20, 22].map((index) => `order:${index}`)])
    const ofCall = (uuid: string) => server.waiting('events').filter(({ body }) => asEvent(body).uuid === uuid)
    expect(ofCall(callA)).toHaveLength(4)
    await watched.check()
    for (const uuid of [callA, callB]) {
      expect(ofCall(uuid).map(({ body }) => asEvent(body))).toEqual(events.filter((event) => event.uuid === uuid))
    }
  })

  test('when the queue becomes unreachable between batches, the answer names the events that were not accepted', async () => {
    const { sink, gate } = fresh()
    const events = Array.from({ length: 12 }, (_, index) => anEvent({ id: `half:${index}` }))
    gate.answer = (_call, forward) => (gate.calls.length === 1 ? forward() : 'lost')

    expect(await sink.publish(events)).toEqual(['half:10', 'half:11'])
  })

  test('an event queue that cannot be reached is reported as unavailable', async () => {
    const { sink, gate } = fresh()
    gate.answer = () => 'lost'

    await expect(sink.publish([anEvent()])).rejects.toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
  })

  test('F23 a throttled batch is sent again', async () => {
    const { gate, server } = rig()
    const watched = watchSink(rig())
    gate.answer = (_call, forward) => (gate.calls.length < 3 ? throttled : forward())

    expect(await watched.publish([anEvent()])).toEqual([])

    expect(gate.calls).toHaveLength(3)
    expect(server.waiting('events')).toHaveLength(2)
    await watched.check()
  })

  test('F23 a queue that keeps throttling is reported as unavailable after three tries', async () => {
    const { gate } = rig()
    const watched = watchSink(rig())
    gate.answer = () => throttled

    expect(await watched.publish([anEvent()])).toMatchObject({ code: 'store_unavailable' })

    expect(gate.calls).toHaveLength(3)
    await watched.check()
  })

  test('F26 a batch whose answer is lost is sent again with the same ids, and the queue keeps one of each', async () => {
    const { server, gate } = rig()
    const watched = watchSink(rig())
    const { uuid } = anEvent()
    const events = Array.from({ length: 9 }, (_, index) => anEvent({ id: `lost:${index}`, uuid }))
    gate.answer = async (_call, forward) => {
      const reply = await forward()
      return gate.calls.length === 1 ? 'lost' : reply
    }

    expect(await watched.publish(events)).toEqual([])

    const sent = gate.calls.map(({ input }) => idsIn(input).slice(0, 9))
    expect(sent).toEqual([events.map(({ id }) => id), events.map(({ id }) => id)])
    expect(server.waiting('events').map(({ body }) => asEvent(body))).toMatchObject([...events, {}])
    await watched.check()
  })

  test('F27 an event above the size of a message goes without its large values, and says which', async () => {
    const { server } = rig()
    const watched = watchSink(rig())
    const large = anEvent({ fields: { 'Unique-ID': 'u', variable_sdp: 'x'.repeat(1_500_000), 'Event-Name': 'DTMF' } })
    const next = anEvent()

    expect(await watched.publish([large, next])).toEqual([])

    const [sent, after] = server.waiting('events').map(({ body }) => asEvent(body))
    expect(sent?.fields).toMatchObject({ 'Unique-ID': 'u', 'Event-Name': 'DTMF', Truncated: 'true' })
    expect(sent?.fields['Truncated-Fields']).toBe('variable_sdp')
    expect([sent?.id, after]).toEqual([large.id, next])
    await watched.check()
  })

  test('F24 a queue that does not answer is given up after three seconds a try', async () => {
    const { gate } = rig()
    const watched = watchSink(rig())
    let asked = Promise.withResolvers<void>()
    gate.answer = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    gate.calls.length = 0

    const publishing = watched.publish([anEvent()])
    for (const attempt of [1, 2, 3]) {
      await asked.promise
      asked = Promise.withResolvers()
      await vi.advanceTimersByTimeAsync(2_900)
      expect(gate.calls).toHaveLength(attempt)
      await vi.advanceTimersByTimeAsync(100)
      // The wait before the next attempt.
      await vi.advanceTimersByTimeAsync(200)
    }

    expect(await publishing).toMatchObject({ code: 'store_unavailable' })
    expect(gate.calls).toHaveLength(3)
    vi.useRealTimers()
    await watched.check()
  })

  test('F24 a queue without a listener is reported as unavailable', async () => {
    const port = await freePort()
    const watched = watchSink(rig(), { [environment.sqsEndpoint]: `http://127.0.0.1:${port}` })

    expect(await watched.publish([anEvent()])).toMatchObject({ code: 'store_unavailable' })

    const { port: gatePort } = new URL(rig().gate.env[environment.sqsEndpoint] ?? '')
    const back = createServer((socket) => {
      pipeline(socket, connect(Number(gatePort), '127.0.0.1'), socket, () => {})
    })
    back.listen(port, '127.0.0.1')
    await once(back, 'listening')
    onTestFinished(() => void back.close())
    await watched.check()
  })

  test('credentials of a task are renewed before they end, and an event waits while it has none', async () => {
    const { server, gate } = fresh()
    const task = await openTaskCredentials()
    const clock = movableClock()
    onTestFinished(() => task.close())
    onTestFinished(() => void vi.unstubAllEnvs())
    onTestFinished(() => void vi.restoreAllMocks())
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', task.url)
    vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...env } = rig().context.env
    const sink = sqsEventSink({ env, clock, random: systemRandomness })
    task.answer = { status: 200, endsAt: clock.now() + 10 * 60_000 }
    await sink.publish([anEvent({ id: 'one' })])

    clock.move(11 * 60_000)
    task.answer = { status: 500, endsAt: 0 }
    await expect(sink.publish([anEvent({ id: 'two' })])).rejects.toMatchObject({ code: 'store_unavailable' })
    // Each of two attempts asks a single time.
    expect(task.asked()).toBe(3)
    task.answer = { status: 200, endsAt: clock.now() + 10 * 60_000 }
    expect(await sink.publish([anEvent({ id: 'two' })])).toEqual([])

    const keys = gate.calls.map(({ headers }) => /Credential=([^/]+)/.exec(String(headers.authorization))?.[1])
    expect(keys).toEqual(['key-1', `key-${task.asked()}`])
    expect(server.waiting('events').map(({ body }) => asEvent(body).id)).toEqual(['one', 'two'])
  })

  test('a queue that considers the credentials expired is reported as refusing, and asked once', async () => {
    const { sink, gate } = fresh()
    gate.answer = () => ({ status: 403, body: { __type: 'com.amazonaws.sqs#ExpiredToken' } })

    await expect(sink.publish([anEvent()])).rejects.toMatchObject({ code: 'internal_error' })

    expect(gate.calls).toHaveLength(1)
  })

  function fresh() {
    const { server, gate } = rig()
    server.empty()
    gate.calls.length = 0
    gate.answer = (_call, forward) => forward()
    return rig()
  }
})

async function openSqs() {
  const cloud = await openCloudQueues()
  return { ...cloud, sink: sqsEventSink(cloud.context) }
}

/** The answer of SQS to too many requests. */
const throttled = { status: 400, body: { __type: 'com.amazonaws.sqs#RequestThrottled' } }

function idsIn(input: Readonly<Record<string, unknown>>): string[] {
  const entries = input['Entries'] as { MessageDeduplicationId: string }[]
  return entries.map(({ MessageDeduplicationId }) => MessageDeduplicationId)
}

function asEvent(body: unknown): PlatformEvent {
  const { version: _version, ...event } = eventMessage.parse(body)
  return event
}

/** Makes the queue refuse one entry of a batch, once, and take the others. */
function failEntry(gate: CloudGate, deduplicationId: string): void {
  gate.answer = async (call, forward) => {
    const entries = call.input['Entries'] as { Id: string; MessageDeduplicationId: string }[]
    const failing = entries.find((entry) => entry.MessageDeduplicationId === deduplicationId)
    if (failing === undefined) return forward()
    const rest = entries.filter((entry) => entry !== failing)
    const reply = await forward({ ...call.input, Entries: rest })
    const taken = reply === 'lost' ? {} : (reply.body as object)
    return { status: 200, body: { ...taken, Failed: [{ Id: failing.Id, Code: 'InternalError', SenderFault: false }] } }
  }
}
