import { authenticateEngine, authenticateToken } from '../authenticate.ts'
import { type Endpoint, type Step, requireStep, requirePort } from '../endpoint-parts.ts'
import { sourceNetwork } from '../../../core/auth/source-network.ts'
import type { SessionStore } from '../../../core/auth/credentials.ts'
import type { Caller } from '../../../core/access/token.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../../../adapters/log/logger.ts'

/** Refuses a request whose credential is missing, wrong or expired, if the route requires one. */
export function authentication({ route, ports }: Endpoint): Step {
  return {
    before: async ({ event: exchange }) => {
      if (route.authentication === 'engine')
        await authenticateEngine(exchange.event.headers, requirePort(ports.secrets))
      if (route.authentication !== 'token') return
      const { error } = await exchange.credential
      if (error !== undefined) throw error
      requireStep(exchange.caller, 'credential read')
    },
  }
}

/**
 * Starts to read the credential of a token, in parallel with counting the request. The step `authentication` waits for
 * it.
 */
export function credentialRead(endpoint: Endpoint): Step {
  const touchSession = sessionToucher()
  return {
    before: ({ event: exchange }) => {
      if (endpoint.route.authentication === 'token') exchange.credential = settled(findCaller(exchange))
    },
  }

  async function findCaller(exchange: Exchange): Promise<void> {
    const { ports, tools } = endpoint
    const now = tools.clock.now()
    const judge = { credentials: requirePort(ports.credentials), secrets: requirePort(ports.secrets), now }
    const caller = await authenticateToken(exchange.event.headers, judge)
    exchange.caller = caller
    exchange.sideWrites.push(touchSession(requirePort(ports.sessions), caller, now, exchange.log))
    if (caller.kind === 'domain-token')
      exchange.isNewSource = meetSource(exchange, requirePort(ports.sessions), caller, now)
  }
}

/** Records the network from which a domain token is used. A failure to record it does not fail the request. */
async function meetSource(
  { event, log }: Exchange,
  sessions: Pick<SessionStore, 'meet'>,
  { username }: Caller,
  now: number,
): Promise<boolean> {
  try {
    return await sessions.meet(username, sourceNetwork(event.requestContext.http.sourceIp), now)
  } catch (error) {
    log.error('source not noted', error)
    return false
  }
}

async function settled(work: Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work
    return {}
  } catch (error) {
    return { error }
  }
}

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
function sessionToucher(): TouchSession {
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
