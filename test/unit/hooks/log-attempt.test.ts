import { expect, it } from 'vitest'
import { logAttempt } from '../../../functions/hooks/log-attempt.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { aDelivery } from '../../support/records/records.ts'

const attempt = { at: 1, durationMs: 2, status: 200 }
const delivered = { attempt, state: 'delivered', isDecisive: true } as const
const failed = { attempt: { ...attempt, status: 500 }, state: 'failed', isDecisive: true } as const

/** Returns level and message of each line of an attempt. */
function linesOf(given: Partial<Parameters<typeof logAttempt>[1]>, made: Parameters<typeof logAttempt>[2]) {
  const log = capturedLog()
  logAttempt(log, { ...aDelivery(), ...given }, made)
  return log.lines.map(({ level, message }) => `${level} ${message}`)
}

it('a successful attempt is logged at debug level, because the delivery log has it and each line costs money', () => {
  expect(linesOf({}, delivered)).toEqual(['debug attempt made'])
})

it('a successful attempt for an event that a request caused is logged at the usual level, so that it can be traced', () => {
  expect(linesOf({ requestId: 'request-1' }, delivered)).toEqual(['info attempt made'])
})

it('an attempt that fails is logged at the usual level, and the end of its delivery with a warning', () => {
  expect(linesOf({}, failed)).toEqual(['info attempt made', 'warn delivery failed'])
  expect(linesOf({}, { ...failed, state: 'pending' })).toEqual(['info attempt made'])
})

it('a failed attempt that did not decide its delivery, which another had ended, is no failed delivery', () => {
  expect(linesOf({}, { ...failed, isDecisive: false })).toEqual(['info attempt made'])
})
