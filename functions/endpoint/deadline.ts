/** What {@link withDeadline} answers for work that is not over in time. */
export const late = Symbol('late')

/** Waits for work, but no longer than a time in milliseconds. The work itself goes on; what becomes of it is dropped. */
export async function withDeadline<T>(work: Promise<T>, limitMs: number): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.max(0, limitMs))
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
