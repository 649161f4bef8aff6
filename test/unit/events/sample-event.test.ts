import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { channelEvents, serviceEventKinds } from '../../../core/events/catalogue.ts'
import { sampleEvent } from '../../../core/events/sample-event.ts'

const now = Date.UTC(2026, 0, 15, 12)
const sample = (name: string) => sampleEvent(name, 'a.example.com', { id: 'sample', now })

/** The events of a recorded session, whose frames are JSON with a length before each. */
function recorded(name: string): Record<string, string>[] {
  const bytes = gunzipSync(readFileSync(new URL(`../../fixtures/freeswitch/events/${name}`, import.meta.url)))
  const found: Record<string, string>[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n\n', at)
    if (end < 0) break
    const head = bytes.subarray(at, end).toString()
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1] ?? 0)
    if (head.includes('text/event-json')) found.push(JSON.parse(bytes.subarray(end + 2, end + 2 + length).toString()))
    at = end + 2 + length
  }
  return found
}

const calls = ['bridged-call.json.out.gz', 'hold-by-api.json.out.gz', 'record-session.json.out.gz', 'busy.json.out.gz']
const engineEvents = calls.flatMap(recorded)

const created = engineEvents.filter((event) => event['Event-Name'] === 'CHANNEL_CREATE')

describe.each(channelEvents)('the sample of %s', (name) => {
  it('the sample of a call event has the fields of every event of a call, and a cause if the call has ended', () => {
    const { uuid, fields } = sample(name)

    expect(fields).toMatchObject({
      'Event-Name': name,
      'Event-Date-Timestamp': `${now}000`,
      'Unique-ID': uuid,
      'Channel-State': expect.stringMatching(/^CS_/),
      'Channel-Call-State': expect.stringMatching(/^[A-Z]+$/),
      'Call-Direction': 'inbound',
      'Event-Domain': 'a.example.com',
    })
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/)
    const hasEnded = /HANGUP|DESTROY/.test(name)
    expect(Object.hasOwn(fields, 'Hangup-Cause')).toBe(hasEnded)
  })

  const alike = engineEvents.filter((event) => event['Event-Name'] === name)
  if (alike.length === 0) return

  it('the sample of a call event has only fields that an engine was recorded to send with it', () => {
    // The recorded calls of some events are outbound, and those have less of the caller.
    const isPlain = name === 'CHANNEL_STATE' || name === 'CHANNEL_CALLSTATE'
    const known = new Set(['Event-Domain', ...[...alike, ...(isPlain ? [] : created)].flatMap(Object.keys)])

    expect(Object.keys(sample(name).fields).filter((field) => !known.has(field))).toEqual([])
  })
})

it('more than half of the sample call events are compared with recordings', () => {
  const names = new Set(engineEvents.map((event) => event['Event-Name']))

  expect(channelEvents.filter((name) => names.has(name)).length).toBeGreaterThan(12)
})

describe.each(serviceEventKinds)('the sample of CUSTOM->svc::%s', (kind) => {
  it('the sample of a platform event has the fields of every platform event', () => {
    expect(sample(`CUSTOM->svc::${kind}`)).toMatchObject({
      name: `CUSTOM->svc::${kind}`,
      domain: 'a.example.com',
      fields: {
        'Event-Name': 'CUSTOM',
        'Event-Subclass': `svc::${kind}`,
        'Event-Date-Timestamp': `${now}000`,
        'Event-Domain': 'a.example.com',
      },
    })
  })
})

it("the sample of an application's event has the known fields, or those of all events if none are known", () => {
  expect(sample('CUSTOM->engine::dialer_member_end').fields).toMatchObject({ dialerId: '7', id: '42' })
  expect(sample('CUSTOM->my::own').fields).toEqual({
    'Event-Name': 'CUSTOM',
    'Event-Subclass': 'my::own',
    'Core-UUID': expect.any(String),
    'Event-Date-Timestamp': `${now}000`,
    'Event-Sequence': expect.any(String),
    'Event-Domain': 'a.example.com',
  })
})
