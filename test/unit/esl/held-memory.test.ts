/** The memory that an event keeps, and its own count of it. */
import { describe, expect, it } from 'vitest'
import { readEvent } from '../../../connector/esl/event.ts'
import { memoryInUse } from '../../support/processes/memory-in-use.ts'

const long = 1_000_000

describe('an event that is read', () => {
  it.each([
    ['a header', 'text/event-json', `{"Event-Name":"CUSTOM","long":"${'x'.repeat(long)}"}`],
    ['the uuid', 'text/event-json', `{"Event-Name":"CUSTOM","Unique-ID":"${'x'.repeat(long)}"}`],
    ['a header', 'text/event-plain', `Event-Name: CUSTOM\nlong: ${'x'.repeat(long)}\n\n`],
  ])('the size of an event in which %s is long includes all memory that it occupies (%s)', (_, contentType, text) => {
    const before = memoryInUse()
    const events = Array.from({ length: 10 }, () => readEvent(contentType, Buffer.from(text)))
    const held = memoryInUse() - before
    const counted = events.reduce((sum, { bytes }) => sum + bytes, 0)

    expect(counted).toBeGreaterThan(0.9 * held)
    expect(counted).toBeGreaterThanOrEqual(10 * text.length)
  })

  it('the size of an event includes the headers that were decoded later', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`h${index}`, `${index}`]))
    const event = readEvent('text/event-json', Buffer.from(JSON.stringify(many)))
    const before = { held: memoryInUse(), counted: event.bytes }

    event.headers()

    const held = memoryInUse() - before.held
    expect(event.bytes - before.counted).toBeGreaterThan(0.9 * held)
  })

  it('the size of an ordinary event that was read is not much more than its text', () => {
    const headers = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`variable_${index}`, `${index}`]))
    const text = JSON.stringify({ 'Event-Name': 'CHANNEL_CREATE', ...headers })
    const event = readEvent('text/event-json', Buffer.from(text))

    expect(event.bytes).toBeGreaterThan(text.length)
    expect(event.bytes).toBeLessThan(text.length + 2_000)
  })
})

describe('an event that is let go', () => {
  it.each(['Event-Name', 'Event-Subclass', 'Core-UUID'])('a read event keeps no long %s in memory', (header) => {
    const before = memoryInUse()

    for (let count = 0; count < 40; count += 1) {
      readEvent('text/event-plain', Buffer.from(`${header}: ${header}${count}${'n'.repeat(long)}\n\n`))
    }

    expect(memoryInUse() - before).toBeLessThan(5 * long)
  })
})
