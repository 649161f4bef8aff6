import type { Timers } from '../../core/concurrency/timers.ts'
import { Agent, type Dispatcher } from 'undici'
import { environment } from '../../contracts/environment.ts'
import { hookAllowedNetworks } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import type { AddressGuard } from '../../core/requests/target-url.ts'
import type { HookClient, HookReply, HookRequest } from '../../core/hooks/request/hook-client.ts'
import type { Clock } from '../../core/time.ts'
import type { AdapterContext } from '../context.ts'
import { addressGuard } from './address-guard.ts'
import { type Resolver, systemResolver } from './guarded-lookup.ts'
import { guardedConnector } from './guarded-connector.ts'
import { systemTimers } from '../system/system-time.ts'
import { ResponseTooLarge, failureOf, TotalTimeout } from './send-errors.ts'

/** The limits of one request, from the contract's section on sending. */
export interface HookClientLimits {
  /** For everything from the resolver's first question to the answer's last byte that is read. */
  readonly totalMs: number
  /** For resolving, connecting and the TLS handshake. */
  readonly connectMs: number
  /** The most bytes of an answer's body that are read, as sent: a compressed answer is not expanded. */
  readonly replyBytes: number
  /**
   * The most bytes of an answer that are read from the connection, of any kind: heads, interim answers, the extensions
   * of chunks, trailers, TLS. Beyond that, the connection is closed. If the head had arrived, the body counts as far as
   * it was read.
   */
  readonly wireBytes: number
}

/** See {@link HookClientLimits}. */
export const hookClientLimits: HookClientLimits = {
  totalMs: 15_000,
  connectMs: 5_000,
  replyBytes: 20 * 1024,
  wireBytes: 64 * 1024,
}

/** The dependencies of the client; tests give their own resolver and scheduler. */
export interface HookClientOptions {
  readonly clock: Clock
  readonly guard: AddressGuard
  readonly resolve: Resolver
  readonly timers: Timers
  readonly limits: HookClientLimits
  readonly ownPorts?: ReadonlySet<string>
  readonly authorities?: string
}

/**
 * The time for which an idle connection is kept, and the most connections to one origin: more than a function has
 * requests in flight (80 first attempts of a domain), since a request that waited for a connection would lose its time.
 */
const pool = { keepAliveTimeout: 10_000, keepAliveMaxTimeout: 60_000, connections: 100, pipelining: 1 }

/**
 * Returns the hook client of a deployment: the system's resolver, and the networks that `HOOK_ALLOWED_NETWORKS` opens,
 * without the ports of `OWN_PORTS`.
 */
export function guardedHookClient(context: AdapterContext): HookClient {
  return systemClient(context, hookClientLimits)
}

/** The limits of tests, which a caller waits for: two requests and their overhead fit into the caller's 28 s. */
export const testClientLimits: HookClientLimits = { ...hookClientLimits, totalMs: 12_000 }

/** Returns the same client for tests of hooks. */
export function guardedTestClient(context: AdapterContext): HookClient {
  return systemClient(context, testClientLimits)
}

function systemClient(context: AdapterContext, limits: HookClientLimits): HookClient {
  return hookClientOver({
    clock: context.clock,
    guard: addressGuard(readVariable(hookAllowedNetworks, context.env).join(',')),
    resolve: systemResolver,
    timers: systemTimers,
    limits,
    ownPorts: new Set(context.env[environment.ownPorts]?.split(',')),
  })
}

/**
 * Returns a client that reaches only what its guard permits, follows no redirect, uses no proxy, and respects its
 * limits of size and time. It never throws: a failed attempt is an answer, too.
 */
export function hookClientOver(options: HookClientOptions): HookClient & { close(): Promise<void> } {
  const { clock, limits, timers } = options
  const agent = new Agent({
    ...pool,
    allowH2: false,
    connect: guardedConnector({ ...options, connectMs: limits.connectMs, wireBytes: limits.wireBytes }),
    // The total limit governs; a limit between bytes would let a slow answer live for ever.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async send(request) {
      const startedAt = clock.now()
      const abort = new AbortController()
      const cancel = timers.after(limits.totalMs, () => abort.abort(new TotalTimeout()))
      try {
        const answer = await exchange(agent, request, abort.signal, limits.replyBytes)
        return { outcome: 'answered', ...answer, durationMs: clock.now() - startedAt }
      } catch (error) {
        return { outcome: 'failed', reason: failureOf(error), durationMs: clock.now() - startedAt }
      } finally {
        cancel()
      }
    },
    close: () => agent.destroy(),
  }
}

type AnsweredReply = Omit<Extract<HookReply, { outcome: 'answered' }>, 'outcome' | 'durationMs'>

async function exchange(
  agent: Agent,
  request: HookRequest,
  signal: AbortSignal,
  replyBytes: number,
): Promise<AnsweredReply> {
  const { origin, pathname, search } = new URL(request.url)
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: pathname + search,
    method: request.method,
    headers: request.headers,
    body: request.body === '' ? null : request.body,
    signal,
  })
  return { status: statusCode, headers: flatHeaders(headers), body: await firstBytes(body, replyBytes) }
}

/** Several lines of one name become one value; those of `set-cookie`, whose values hold commas, one line each. */
function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lines = value === undefined ? [] : [value].flat()
      return [name.toLowerCase(), lines.join(name.toLowerCase() === 'set-cookie' ? '\n' : ', ')]
    }),
  )
}

/**
 * Reads the body up to a limit, as UTF-8 with U+FFFD for invalid bytes. If the answer exceeds the limit of the
 * connection, the part read so far is returned. At either limit the connection is closed.
 */
async function firstBytes(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      // Leaving the loop destroys the stream, and with it the socket.
      if (length >= limit) break
    }
  } catch (error) {
    if (!(error instanceof ResponseTooLarge)) throw error
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8')
}
