import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger'
import { logLevel } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import type { AdapterContext } from '../context.ts'

/**
 * The values of a log line in addition to its message: single values under names. Nothing else can be passed, so a
 * request's body, its headers or a whole record cannot end up in a log.
 */
export type LogKeys = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes JSON lines to standard output. */
export interface Log {
  debug(message: string, keys?: LogKeys): void
  info(message: string, keys?: LogKeys): void
  warn(message: string, keys?: LogKeys): void
  /** `error` is written as name, code, message, stack and chain of causes; whatever else hangs on it is dropped. */
  error(message: string, error?: unknown, keys?: LogKeys): void
  with(keys: LogKeys): Log
}

/** Names that are never written whatever their value: a slip of the pen must not become a leak. */
const SECRET_NAME = /password|secret|token|authorization|cookie|credential|hash|body|headers/i

const VALUE_LENGTH = 1024

const levels = { trace: 'TRACE', debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const

/**
 * Returns a log of one service (function or process name) at the level of `LOG_LEVEL`. Throws an error that names the
 * variable if its value is not a level.
 */
export function createLogger(serviceName: string, { env }: Pick<AdapterContext, 'env'>): Log {
  return wrap(new PowertoolsLogger({ serviceName, logLevel: levels[readVariable(logLevel, env)] }), {})
}

function wrap(logger: PowertoolsLogger, bound: LogKeys): Log {
  const line = (keys: LogKeys | undefined) => printable({ ...bound, ...keys })
  return {
    debug: (message, keys) => logger.debug(message, line(keys)),
    info: (message, keys) => logger.info(message, line(keys)),
    warn: (message, keys) => logger.warn(message, line(keys)),
    error: (message, error, keys) =>
      logger.error(message, error === undefined ? line(keys) : { ...line(keys), error: describe(error, 0) }),
    with: (keys) => wrap(logger, { ...bound, ...keys }),
  }
}

function printable(keys: LogKeys): Record<string, string | number | boolean> {
  const written: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(keys)) {
    if (SECRET_NAME.test(name)) written[name] = '[redacted]'
    else if (typeof value === 'string') written[name] = value.slice(0, VALUE_LENGTH)
    else if (typeof value === 'number' || typeof value === 'boolean') written[name] = value
  }
  return written
}

interface DescribedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: DescribedError
}

/** A chain of causes longer than this is a loop. */
const MAX_CAUSES = 5

function describe(error: unknown, depth: number): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'something that is no Error was thrown' }
  return {
    name: error.name,
    message: error.message.slice(0, VALUE_LENGTH),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: describe(error.cause, depth + 1) }),
  }
}
