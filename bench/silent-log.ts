import type { Log } from '../adapters/log/logger.ts'

/** Logs nothing: what is measured is not the log. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
}
