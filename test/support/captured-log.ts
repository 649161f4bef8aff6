import type { Log, LogKeys } from '../../adapters/log/logger.ts'

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

/** An empty log. Logs made by `with` write into the same lines. */
export function capturedLog(lines: LogLine[] = [], bound: LogKeys = {}): CapturedLog {
  const write = (level: LogLine['level']) => (message: string, keys?: LogKeys) =>
    void lines.push({ level, message, keys: { ...bound, ...keys } })
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: (message, _error, keys) => write('error')(message, keys),
    with: (keys) => capturedLog(lines, { ...bound, ...keys }),
  }
}
