import { expect, test } from 'vitest'
import { errorLatch } from '../../../connector/runtime/error-latch.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'

test('a lasting error has one log line when it begins and one when it is over, however often it happens', () => {
  const log = capturedLog()
  const away = errorLatch(log, 'the store is away')
  away.over()

  for (let times = 0; times < 1_000; times += 1) away.note(new Error('no answer'), { events: times })
  away.over()
  away.over()

  expect(log.lines).toEqual([
    { level: 'error', message: 'the store is away', keys: { events: 0 } },
    { level: 'info', message: 'over: the store is away', keys: { times: 1_000 } },
  ])
})

test('an error that comes back is reported again', () => {
  const log = capturedLog()
  const away = errorLatch(log, 'the store is away')

  away.note(undefined)
  away.over()
  away.note(undefined)

  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info', 'error'])
})
