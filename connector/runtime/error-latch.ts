import type { Log, LogKeys } from '../../adapters/log/logger.ts'

/** An error that happens again and again, and is logged when it begins and when it is over. */
export interface ErrorLatch {
  note(problem: unknown, keys?: LogKeys): void
  over(): void
}

/**
 * Makes the latch of an error that has not happened. The first time is an error in the log with `what`; further times
 * are counted, and the first success after them is one line with that count. However long it lasts, the log has two
 * lines.
 */
export function errorLatch(log: Log, what: string): ErrorLatch {
  let times = 0
  return {
    note: (problem, keys) => {
      times += 1
      if (times === 1) log.error(what, problem, keys)
    },
    over: () => {
      if (times > 0) log.info(`over: ${what}`, { times })
      times = 0
    },
  }
}
