/** The memory that an event keeps, and its own count of it. */
import { describe, expect, it } from 'vitest'
import { readEvent } from '../../../packages/esl/event.ts'
import { memoryInUse } from '../../support/processes/memory-in-use.ts'

const long = 1_000_000

describe('an event that is read', () => {
  it.each([
    ['a header', `{"Event-Name":"CUSTOM","long":"${'x'.repeat(long)}"}`],
    ['the uuid', `{"Event-Name":"CUSTOM","Unique-ID":"${'x'.repeat(long)}"}`],
    ['a header beyond Latin-1', `{"Event-Name":"CUSTOM","long":"日${'x'.repeat(long)}"}`],
  ])('the size of an event in which %s is long includes all memory that it occupies ', (_, text) => {
    const before = memoryInUse()
    const events = Array.from({ length: 10 }, () => readEvent('text/event-json', Buffer.from(text)))
    const held = memoryInUse() - before
    const counted = events.reduce((sum, { bytes }) => sum + bytes, 0)

    expect(counted).toBeGreaterThan(0.9 * held)
    expect(counted).toBeGreaterThanOrEqual(10 * text.length)
  })

  it('the size of an event with very many headers includes all memory that it occupies', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`header${index}`, `value${index}`]))
    const bytes = Buffer.from(JSON.stringify(many))
    const before = memoryInUse()

    const event = readEvent('text/event-json', bytes)

    const held = memoryInUse() - before
    expect(event.headers()).toHaveProperty('header19999')
    expect(event.bytes).toBeGreaterThan(0.9 * held)
  })

  it('the size of an ordinary event is not much more than its text, its headers and a little for each of them', () => {
    const headers = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`variable_${index}`, `${index}`]))
    const text = JSON.stringify({ 'Event-Name': 'CHANNEL_CREATE', ...headers })
    const event = readEvent('text/event-json', Buffer.from(text))

    expect(event.bytes).toBeGreaterThan(text.length)
    expect(event.bytes).toBeLessThan(2 * text.length + 70 * 72 + 1_000)
  })
})

describe('an event that is let go', () => {
  it.each(['Event-Name', 'Event-Subclass', 'Core-UUID'])('a read event keeps no long %s in memory', (header) => {
    const before = memoryInUse()

    for (let count = 0; count < 40; count += 1) {
      readEvent('text/event-json', Buffer.from(`{"${header}":"${header}${count}${'n'.repeat(long)}"}`))
    }

    expect(memoryInUse() - before).toBeLessThan(5 * long)
  })
})
