import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVENT_BYTES, ITEM_EVENT_BYTES, fitted } from '../../../adapters/events/text-event.ts'
import { queueBody } from '../../../adapters/events/queue-text.ts'
import { anEvent } from '../../support/records/records.ts'

const sizeOf = (fields: object) => Buffer.byteLength(queueBody(fields))

describe('an event on its way to the queue', () => {
  test('an event for the queue stays unchanged while it fits', () => {
    const event = anEvent()

    expect(fitted(event)).toBe(event)
  })

  test('an event for the queue has its longest values cut and says so; short values and all names stay', () => {
    const event = anEvent({ fields: { short: 'kept', long: 'x'.repeat(EVENT_BYTES), 'Unique-ID': 'u' } })

    const { fields } = fitted(event)

    expect(fields).toMatchObject({ short: 'kept', 'Unique-ID': 'u', Truncated: 'true', 'Truncated-Fields': 'long' })
    expect(event.fields['long']?.startsWith(fields['long'] ?? '-')).toBe(true)
    expect(fields['long']?.length).toBeGreaterThan(10_000)
  })

  test('an event for the queue keeps its identifying fields when there are too many fields', () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`variable_${index}`, 'some value']))
    const event = anEvent({ fields: { ...many, 'Event-Name': 'CHANNEL_CREATE', 'Unique-ID': 'u' } })

    const { 'Truncated-Fields': names = '', ...fields } = fitted(event).fields
    expect(fields).toEqual({ 'Event-Name': 'CHANNEL_CREATE', 'Unique-ID': 'u', Truncated: 'true' })
    expect(names.split(',').slice(0, 2)).toEqual(['variable_0', 'variable_1'])
    expect(names.length).toBeLessThanOrEqual(1024)
    expect(names.split(',').every((name) => name in many)).toBe(true)
  })

  test('an event for the queue fits, whatever its fields are, and contains no half character', () => {
    const value = fc.string({ unit: fc.constantFrom('a', 'ü', '🙂', '"', '\u0000'), minLength: 0, maxLength: 30 })
    const fields = fc.dictionary(fc.string({ maxLength: 20 }), value, { maxKeys: 12 })
    fc.assert(
      fc.property(fields, fc.integer({ min: 1, max: 6000 }), fc.boolean(), (few, times, isItem) => {
        const limit = isItem ? ITEM_EVENT_BYTES : EVENT_BYTES
        const grown = Object.fromEntries(Object.entries(few).map(([name, text]) => [name, text.repeat(times)]))
        const result = fitted(anEvent({ fields: grown }), limit)
        expect(fitted(result, limit)).toBe(result)
        expect(sizeOf(result.fields)).toBeLessThanOrEqual(limit)
        expect(Object.values(result.fields).every((text) => text.isWellFormed())).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})
