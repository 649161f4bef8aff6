import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deliveryOf } from '../../../cli/listen/delivery.ts'
import { type EventPage, follow } from '../../../cli/listen/follow.ts'
import { forward } from '../../../cli/listen/forward.ts'
import { ListenStore } from '../../../cli/listen/listen-state.ts'
import { sink } from '../../support/cli/event-sink.ts'

const event = (sequence: number) => ({ sequence, at: 1, name: 'DTMF', uuid: '', event: { 'DTMF-Digit': '1' } })
const empty: EventPage = { events: [], gaps: [], head: 0, next: 0, more: false, isCollected: true }
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Follows pages, and ends in the wait after the last one. Returns what was heard, in its order. */
async function followed(
  pages: readonly Partial<EventPage>[],
  endAt = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const heard: string[] = []
  const end = new AbortController()
  const waiting = [...pages]
  await follow(0, {
    read: async (since) => {
      heard.push(`read ${since}`)
      return { ...empty, more: waiting.length > 1, ...waiting.shift() }
    },
    onEvent: async ({ sequence }) => {
      if (sequence >= endAt) return false
      heard.push(`event ${sequence}`)
      return true
    },
    onNumbers: ({ reason, fromSequence, toSequence }) => heard.push(`${reason} ${fromSequence}-${toSequence}`),
    onTime: ({ reason }) => heard.push(reason),
    onNothingCollected: () => heard.push('nothing collected'),
    onHandled: (sequence) => {
      heard.push(`handled ${sequence}`)
      if (waiting.length === 0) end.abort()
    },
    signal: end.signal,
  })
  return heard
}

it('events and numbers without an event are handled in the order of the numbers, and each is recorded as handled', async () => {
  const gaps = [{ kind: 'numbers', reason: 'void', fromSequence: 2, toSequence: 3 }] as const
  const heard = await followed([{ events: [event(1), event(4)], gaps, next: 4 }, { next: 6 }])

  expect(heard).toEqual([
    'read 0',
    'event 1',
    'handled 1',
    'void 2-3',
    'event 4',
    'handled 4',
    'handled 4',
    'read 4',
    'handled 6',
  ])
})

it('a time of possible loss is reported once, and missing event collection once until it changes', async () => {
  const gaps = [{ kind: 'time', reason: 'engine_link_lost', from: 1, to: 2 }] as const
  const heard = await followed([
    { gaps, next: 1, isCollected: false },
    { gaps, next: 2, isCollected: false },
    { next: 3, isCollected: true },
    { next: 4, isCollected: false },
  ])

  expect(heard.filter((entry) => !/read|handled/.test(entry))).toEqual([
    'nothing collected',
    'engine_link_lost',
    'nothing collected',
  ])
})

it('an event that was not handled is not recorded as handled, nor is any after it', async () => {
  const heard = await followed([{ events: [event(1), event(2), event(3)], next: 3 }, { next: 4 }], 2)

  expect(heard).toEqual(['read 0', 'event 1', 'handled 1'])
})

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-listen-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('a forwarded event is signed as Standard Webhooks says, under the same id each time', () => {
  const at = Date.now()
  const { headers, body } = deliveryOf(event(7), 'key', secret, at)

  expect(new Webhook(secret).verify(body, headers)).toEqual({
    id: headers['webhook-id'],
    action: 'DTMF',
    data: { 'DTMF-Digit': '1' },
  })
  expect(headers['webhook-sequence']).toBe('7')
  expect(deliveryOf(event(7), 'key', secret, at + 5000).headers['webhook-id']).toBe(headers['webhook-id'])
  expect(deliveryOf(event(8), 'key', secret, at).headers['webhook-id']).not.toBe(headers['webhook-id'])
  expect(deliveryOf(event(7), 'other', secret, at).headers['webhook-id']).not.toBe(headers['webhook-id'])
})

it('an event is sent again for as long as its receiver fails, and is skipped after a final refusal', async () => {
  await using receiver = await sink([503, 429, 200, 404])
  const retries: string[] = []
  const target = {
    url: receiver.url,
    key: 'key',
    secret,
    onRetry: (_: unknown, reason: string, waitMs: number) => retries.push(`${reason}, ${waitMs}`),
    wait: async () => {},
  }
  const { signal } = new AbortController()

  expect(await forward(event(1), target, signal)).toMatchObject({ status: 200 })
  expect(await forward(event(2), target, signal)).toMatchObject({ status: 404 })
  expect(retries).toEqual(['answered 503, 1000', 'answered 429, 2000'])
  expect(receiver.requests.map(({ headers }) => headers['webhook-sequence'])).toEqual(['1', '1', '1', '2'])
})

it('an event stays unhandled if the user ends the program during a wait', async () => {
  await using receiver = await sink([503])
  const end = new AbortController()
  const wait = async () => end.abort()

  const result = await forward(event(1), { url: receiver.url, key: 'k', secret, onRetry: () => {}, wait }, end.signal)

  expect(result).toBeUndefined()
  expect(receiver.requests).toHaveLength(1)
})

it('positions and the secret are kept for the next start, in a file of the user alone', () => {
  const first = new ListenStore(folder, 'default')
  first.advance('a', 5)
  first.advance('b', 7)

  const second = new ListenStore(folder, 'default')

  expect([second.position('a'), second.position('b'), second.position('c')]).toEqual([5, 7, undefined])
  expect(second.secret).toBe(first.secret)
  expect(new ListenStore(folder, 'other').secret).not.toBe(first.secret)
  expect(statSync(join(folder, 'listen/default.json')).mode & 0o777).toBe(0o600)
})

it('no more than fifty positions are kept, and the one used longest ago goes first', () => {
  const store = new ListenStore(folder, 'default')
  for (let count = 0; count < 50; count += 1) store.advance(`key ${count}`, count)
  store.advance('key 0', 100)
  store.advance('one more', 1)

  expect([store.position('key 0'), store.position('key 1'), store.position('key 2')]).toEqual([100, undefined, 2])
  const kept = JSON.parse(readFileSync(join(folder, 'listen/default.json'), 'utf8')) as { positions: object }
  expect(Object.keys(kept.positions)).toHaveLength(50)
})

it('two listeners of one profile keep the positions of each other, and sign with the same secret', () => {
  const [one, other] = [new ListenStore(folder, 'default'), new ListenStore(folder, 'default')]
  one.advance('a', 5)
  other.advance('b', 7)
  one.advance('a', 6)

  const later = new ListenStore(folder, 'default')
  expect([later.position('a'), later.position('b')]).toEqual([6, 7])
  expect(new Set([one.secret, other.secret, later.secret]).size).toBe(1)
})

it.each(['{', '[]', 'null', '{"secret":"whsec_x","positions":null}', '{"secret":"whsec_x","positions":{"a":"5"}}'])(
  'a damaged file of positions (%s) is refused, since listening would begin anew with a hole',
  (text) => {
    new ListenStore(folder, 'default').advance('a', 5)
    writeFileSync(join(folder, 'listen/default.json'), text)

    expect(() => new ListenStore(folder, 'default')).toThrow(/default\.json is damaged: remove it/)
  },
)
