import { inspect } from 'node:util'
import { expect } from 'vitest'
import { sqsEventSink } from '../../../adapters/sqs/sqs-event-sink.ts'
import { eventMessage } from '../../../contracts/messages/event.ts'
import type { EventSink } from '../../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { CloudQueues } from '../stores/cloud-queues.ts'
import { type Bound, checkAllInvariants } from './invariants.ts'
import { anEvent } from '../records/records.ts'
import { planted } from './secret-forms.ts'

/** The tenant of one event of each batch; no fault concerns it. */
const otherDomain = 'b.example.com'

/** The credentials that sign requests to the queue. */
const key = planted('of the signature')

/** Longest that one more try takes: its own three seconds, and the wait before it. */
const tryMs = 3_250

/** A sink before a queue that fails, and what is known of all that it was given. */
export interface WatchedSink {
  /** Gives events to the sink; answers what it answers, or the error with which it failed. */
  publish(events: readonly PlatformEvent[]): Promise<readonly string[] | Error>
  /** Ends the fault and the test: what was not taken is given once more, and every invariant is checked. */
  check(bounds?: readonly Bound[]): Promise<void>
}

/** Watches a new sink before empty queues. The address of the queue may be another one than the gate's. */
export function watchSink(
  { server, gate, context }: CloudQueues,
  env: Readonly<Record<string, string>> = {},
): WatchedSink {
  server.empty()
  gate.calls.length = 0
  gate.answer = (_call, forward) => forward()
  const sink: EventSink = sqsEventSink({ ...context, env: { ...context.env, AWS_SECRET_ACCESS_KEY: key, ...env } })
  const given: PlatformEvent[] = []
  const errors: Error[] = []
  const open = new Set<string>()
  const mostTries: number[] = []

  const publish: WatchedSink['publish'] = async (events) => {
    const before = gate.calls.length
    const answer = await sink.publish(events).catch((error: Error) => error)
    mostTries.push((gate.calls.length - before) / Math.ceil(events.length / 10))
    const untaken = answer instanceof Error ? events.map(({ id }) => id) : answer
    for (const { id } of events) {
      if (untaken.includes(id)) open.add(id)
      else open.delete(id)
    }
    if (answer instanceof Error) errors.push(answer)
    return answer
  }

  const taken = () =>
    server.waiting('events').map(({ body, deduplicationId, group }) => {
      const { version: _version, ...event } = eventMessage.parse(body)
      return { event, deduplicationId, group }
    })

  /** The ids under which each copy of an event was sent, and those under which it lies in the queue. */
  const idsOf = ({ id }: PlatformEvent) => [
    ...taken().flatMap(({ event, deduplicationId }) => (event.id === id ? (deduplicationId ?? 'none') : [])),
    ...entriesOf(gate.calls).flatMap(({ body, deduplicationId }) => (body.includes(`"${id}"`) ? deduplicationId : [])),
  ]

  return {
    publish: async (events) => {
      const other = anEvent({ domain: otherDomain })
      given.push(...events, other)
      return publish([...events, other])
    },
    check: async (bounds = []) => {
      gate.answer = (_call, forward) => forward()
      const untaken = given.filter(({ id }) => open.has(id))
      const before = gate.calls.length
      // A call, also where nothing is open, shows that the sink has come to itself.
      expect(await publish([...untaken, anEvent()])).toEqual([])
      const callsAfter = gate.calls.length - before
      const ids = taken().map(({ event }) => event.id)
      expect(ids, 'I2: one of each event').toHaveLength(new Set(ids).size)
      const entries = entriesOf(gate.calls)
      checkAllInvariants({
        acknowledged: given.map(({ id }) => ({ what: `event ${id}`, isFound: ids.includes(id) })),
        events: { wanted: given.map((event) => ({ id: event.id, publishedAs: idsOf(event) })), recordedAsLost: 0 },
        commands: { notHere: 'The sink sends messages to one queue and has no link to an engine.' },
        others: {
          before: given.filter(({ domain }) => domain === otherDomain),
          after: taken().flatMap(({ event }) => (event.domain === otherDomain ? event : [])),
        },
        secrets: {
          values: [key],
          seen: [
            ...errors.map((error) => inspect(error, { depth: 9 })),
            ...gate.calls.map(({ input, headers }) => ({ input, headers })),
          ],
        },
        bounds: [
          { of: 'tries of one batch', value: Math.max(...mostTries), limit: 3 },
          {
            of: 'messages of one call',
            value: Math.max(...gate.calls.map((call) => entriesOf([call]).length)),
            limit: 10,
          },
          {
            of: 'bytes of one message',
            value: Math.max(...entries.map(({ body }) => Buffer.byteLength(body))),
            limit: 1024 * 1024,
          },
          ...bounds,
        ],
        backAfterMs: (callsAfter - Math.ceil((untaken.length + 1) / 10)) * tryMs,
      })
    },
  }
}

function entriesOf(calls: CloudQueues['gate']['calls']) {
  return calls.flatMap(({ input }) =>
    (input['Entries'] as { readonly MessageBody: string; readonly MessageDeduplicationId: string }[]).map((entry) => ({
      body: entry.MessageBody,
      deduplicationId: entry.MessageDeduplicationId,
    })),
  )
}
