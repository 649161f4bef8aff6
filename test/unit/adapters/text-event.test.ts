import { describe, expect, test } from 'vitest'
import {
  EVENT_BYTES,
  ITEM_EVENT_BYTES,
  eventOfText,
  messageOf,
  textEvent,
} from '../../../adapters/events/text-event.ts'
import { anEvent } from '../../support/records/records.ts'

describe('an event with its fields as text', () => {
  test('the fields of an event with text are those of the event', () => {
    const event = anEvent({ fields: { a: '1', b: 'ä🙂' } })

    expect(textEvent(event).fields).toEqual(event.fields)
    expect(JSON.parse(textEvent(event).fieldsText)).toEqual(event.fields)
  })

  test('an event that has its text already is not written again', () => {
    const event = textEvent(anEvent())

    expect(textEvent(event)).toBe(event)
  })

  test.each([
    ['the event queue', undefined, EVENT_BYTES],
    ['the index of CDRs', 'cdr', ITEM_EVENT_BYTES],
  ] as const)('an event that is too large for %s is cut and says so', (_queue, reader, limit) => {
    const event = anEvent({ fields: { long: 'x'.repeat(limit), short: 'kept' }, reader })
    const made = [textEvent(event), eventOfText(event, JSON.stringify(event.fields))]

    for (const { fields, fieldsText } of made) {
      expect(fields).toMatchObject({ short: 'kept', Truncated: 'true', 'Truncated-Fields': 'long' })
      expect(Buffer.byteLength(fieldsText)).toBeLessThanOrEqual(limit)
    }
  })

  test('a character that the queue refuses is escaped in the text, and is there again when it is read', () => {
    const fields = { a: '\ufffe🙂', b: '\uffff' }
    const event = eventOfText(anEvent(), JSON.stringify(fields))

    expect(event.fieldsText).toMatch(/^[\x20-\x7f]*$/)
    expect(event.fields).toEqual(fields)
  })

  test('a message has its members and the fields, with or without a text', () => {
    const event = anEvent({ fields: { a: '"1"' } })
    const message = { version: 1, id: 'ä', fields: { a: '"1"' } }

    expect(JSON.parse(messageOf({ version: 1, id: 'ä' }, event))).toEqual(message)
    expect(JSON.parse(messageOf({ version: 1, id: 'ä' }, textEvent(event)))).toEqual(message)
  })
})
