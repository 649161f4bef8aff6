import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { UnownedCalls } from '../../../connector/events/unowned-calls.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'

test('the oldest beginnings of calls without a domain are dropped when there are too many, by number or bytes', () => {
  const begun = (bytes: number) => {
    const event = Object.assign(anEngineEvent({ name: 'CHANNEL_CREATE', uuid: randomUUID() }), { bytes })
    return { event, id: randomUUID(), domain: '', channel: undefined }
  }
  const calls = new UnownedCalls({ events: 2, bytes: 100 })
  const [first, second, third, large] = [begun(1), begun(1), begun(1), begun(99)]

  expect([calls.keep('1', first), calls.keep('2', second), calls.keep('3', third)]).toEqual([0, 0, 1])
  expect(calls.take('1')).toBeUndefined()
  expect(calls.take('2')).toBe(second)
  expect(calls.keep('4', large)).toBe(0)
  expect(calls.keep('5', begun(2))).toBe(2)
  expect([calls.take('3'), calls.take('4')]).toEqual([undefined, undefined])
})
