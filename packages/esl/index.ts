/** A client of FreeSWITCH's event socket: sessions that come back by themselves, events, errors, and their settings. */
export { openEslSession } from './session.ts'
export {
  type EslCounts,
  type EslLimits,
  type EslSession,
  type EslSessionOptions,
  type EslState,
  defaultEslLimits,
} from './options.ts'
export { type EslEvent, type HeaderChanges, readEvent } from './event.ts'
export {
  EslCommandFateUnknown,
  EslCommandInvalid,
  EslCommandNotSent,
  EslCommandRejected,
  EslCommandTimeout,
  EslConnectionLost,
  type EslDamage,
  type EslDownReason,
  EslError,
  EslEventUnreadable,
  EslFramingLost,
} from './errors.ts'
export { type EslTimers, systemEslTimers } from './timers.ts'
