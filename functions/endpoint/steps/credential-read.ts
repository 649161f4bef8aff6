import { sourceNetwork } from '../../../core/auth/source-network.ts'
import type { SessionStore } from '../../../core/auth/credentials.ts'
import type { Caller } from '../../../core/access/token.ts'
import { authenticateToken } from '../authenticate.ts'
import { type Endpoint, own } from '../endpoint-parts.ts'
import type { Exchange } from '../exchange.ts'
import { sessionToucher } from '../touch-session.ts'
import type { Step } from '../step.ts'

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
    const judge = { credentials: own(ports.credentials), secrets: own(ports.secrets), now }
    const caller = await authenticateToken(exchange.event.headers, judge)
    exchange.caller = caller
    exchange.sideWrites.push(touchSession(own(ports.sessions), caller, now, exchange.log))
    if (caller.kind === 'domain-token') exchange.isNewSource = meetSource(exchange, own(ports.sessions), caller, now)
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
