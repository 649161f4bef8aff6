import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { entryKb, unitsOfEntry } from '../../../bench/cost/use-cost.ts'
import {
  eventDictionary,
  packEvent,
  toEntry,
  toEntryItem,
  unpackEvent,
} from '../../../adapters/dynamodb/events/event-log-items.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { recordingNames } from '../../support/engine/engine-recordings.ts'
import { recordedEvents } from '../../support/engine/recorded-events.ts'
import { anEvent } from '../../support/records/records.ts'

const numberedAt = 1_780_000_000_000

it('a compressed event is read as it was, whatever its names and values are', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"Event-Name":"', '\u{1f4de}', 'constructor', ''))
  const name = text.filter((each) => each !== '__proto__')
  fc.assert(
    fc.property(fc.dictionary(name, text), text, text, (fields, id, name) => {
      const event = anEvent({ id, name, fields: { ...fields } })
      expect(unpackEvent(packEvent(event))).toEqual(event)
    }),
  )
})

it('a compressed event takes less than a sixth of its JSON, by the recorded events of a call', () => {
  const events = recordedEvents('events/bridged-call.json', 'a.example.com').filter(
    ({ fields }) => JSON.stringify(fields).length > 4_500,
  )
  const json = events.reduce((sum, { fields }) => sum + JSON.stringify(fields).length, 0)
  const packed = events.reduce((sum, event) => sum + packEvent(event).byteLength, 0)

  expect(events.length).toBeGreaterThan(10)
  expect(json / packed).toBeGreaterThan(6)
})

it('recorded events take the write units that costs are computed with, on average', () => {
  const events = recordingNames()
    .filter((name) => /^events\/.*\.json$/.test(name))
    .flatMap((name) => recordedEvents(name, 'acme.example.com'))
  const kbOf = ({ fields }: PlatformEvent) => Buffer.byteLength(JSON.stringify(fields)) / 1024
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

  const units = events.map((event) => Math.ceil(packEvent(event).byteLength / 1024 + entryKb))

  expect(events.length).toBeGreaterThan(900)
  expect(mean(units)).toBeLessThan(unitsOfEntry(mean(events.map(kbOf))) + 0.1)
})

it('the dictionary of compressed events is the one that stored events were written with', () => {
  expect(createHash('sha256').update(eventDictionary).digest('hex')).toBe(
    'fbaa221f639aefd0fe40c22a1d486bd905656bf61c3674c8697326f61fe88878',
  )
})

it('a compressed event that is cut off is refused', () => {
  const packed = packEvent(anEvent())
  expect(() => unpackEvent(packed.subarray(0, packed.byteLength - 4))).toThrow('unexpected end of file')
})

it('the item of an event is read as the event and its number', () => {
  const event = anEvent()
  expect(toEntry(toEntryItem(event, 7, numberedAt, false))).toEqual({ sequence: 7, loggedAt: numberedAt, event })
})
