import type { Log, LogKeys } from '../../../adapters/log/logger.ts'
import { watchWritten } from '../invariants/watched-secrets.ts'

/** One line that was logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly keys: LogKeys
}

/** A log that keeps its lines to itself. */
export interface CapturedLog extends Log {
  readonly lines: LogLine[]
}

/**
 * An empty log. Logs made by `with` write into the same lines. What is logged, errors and their causes included, is
 * searched for secrets when the test ends.
 */
export function capturedLog(): CapturedLog {
  const lines: LogLine[] = []
  const errors: string[] = []
  watchWritten('log', () => JSON.stringify([lines, errors]))
  return logInto(lines, errors, {})
}

function logInto(lines: LogLine[], errors: string[], bound: LogKeys): CapturedLog {
  const write = (level: LogLine['level']) => (message: string, keys?: LogKeys) =>
    void lines.push({ level, message, keys: { ...bound, ...keys } })
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: (message, error, keys) => {
      for (let at = error; at instanceof Error; at = at.cause) errors.push(`${at.name} ${at.message} ${at.stack}`)
      write('error')(message, keys)
    },
    with: (keys) => logInto(lines, errors, { ...bound, ...keys }),
  }
}
