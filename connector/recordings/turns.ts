/** Runs work, so much of it at a time, in the order in which it came. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Turns for `limit` pieces of work at a time. */
export function turns(limit: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
