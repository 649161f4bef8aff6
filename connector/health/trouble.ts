import type { Log, LogKeys } from '../../adapters/log/logger.ts'

/** Something that goes wrong again and again, and is told of when it begins and when it is over. */
export interface Trouble {
  /** It has happened. */
  note(problem: unknown, keys?: LogKeys): void
  /** It goes well. */
  over(): void
}

/**
 * A trouble that has not begun. Its first time is an error in the log with `what`; further times are counted, and the
 * first success after them is one line with that count. However long it lasts, the log has two lines of it.
 */
export function trouble(log: Log, what: string): Trouble {
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
