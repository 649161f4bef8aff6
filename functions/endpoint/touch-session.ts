import type { Log } from '../../adapters/log/logger.ts'
import type { SessionStore } from '../../core/auth/credentials.ts'
import type { Caller } from '../../core/access/token.ts'

/** Records that a caller is active. Never rejects: an outdated session count is no reason to fail a request. */
export type TouchSession = (
  sessions: Pick<SessionStore, 'touch'>,
  caller: Pick<Caller, 'username' | 'domain'>,
  now: number,
  log: Log,
) => Promise<void>

/** One write per user in this time keeps the fifteen-minute counts of the status report exact enough. */
const everyMs = 60_000
/** Users remembered by one process; a busier one forgets all of them and writes again for each. */
const maxRemembered = 10_000

/** Creates a {@link TouchSession} that writes at most once a minute for each user. */
export function sessionToucher(): TouchSession {
  const touched = new Map<string, number>()
  return async (sessions, { username, domain }, now, log) => {
    const last = touched.get(username)
    if (last !== undefined && now - last < everyMs) return
    if (touched.size >= maxRemembered) touched.clear()
    touched.set(username, now)
    try {
      await sessions.touch(username, domain ?? '', now)
    } catch (error) {
      touched.delete(username)
      log.error('session not noted', error)
    }
  }
}
