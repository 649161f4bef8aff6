import { DomainError } from '../errors.ts'

/** Maximum optimistic-lock retries. Every failure means that another writer won. */
const maxTries = 50

/** Runs a try until it answers something. Throws `store_unavailable` when others were always faster. */
export async function untilDone<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const done = await attempt()
    if (done !== undefined) return done
  }
  throw new DomainError('store_unavailable', 'others change this at the same time, try again', { retryAfterSeconds: 1 })
}
