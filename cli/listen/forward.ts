import { request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { type ListedEvent, deliveryOf } from './delivery.ts'

/** A receiver of events, and how they are signed for it. */
export interface Target {
  readonly url: string
  /** Names platform, domain and receiver; ids of deliveries are derived from it. */
  readonly key: string
  readonly secret: string
  readonly onRetry: (event: ListedEvent, reason: string, waitMs: number) => void
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How an event was forwarded: the receiver's status and the time that it took, or nothing if the user ended it. */
export type Forwarded = { readonly status: number; readonly durationMs: number } | undefined

/** As long as a hook waits for an answer. */
const timeoutMs = 15_000
const waitsMs = [1000, 2000, 5000, 10_000, 30_000]

/**
 * Sends an event until the receiver takes it. Answers that a hook would repeat are repeated for as long as it takes,
 * since the next event would leave a hole: no answer, 408, 425, 429 and 5xx. Another status is final, as for a hook.
 */
export async function forward(event: ListedEvent, target: Target, signal: AbortSignal): Promise<Forwarded> {
  for (let failures = 0; ; failures += 1) {
    const begun = Date.now()
    const result = await send(event, target, signal)
    if (signal.aborted) return undefined
    if (typeof result === 'number' && !mayPass(result)) return { status: result, durationMs: Date.now() - begun }
    const waitMs = waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0
    target.onRetry(event, typeof result === 'number' ? `answered ${result}` : result, waitMs)
    await (target.wait ?? waitFor)(waitMs, signal)
    if (signal.aborted) return undefined
  }
}

async function send(event: ListedEvent, { url, key, secret }: Target, signal: AbortSignal): Promise<number | string> {
  const { headers, body } = deliveryOf(event, key, secret, Date.now())
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return new Promise((resolve) => {
    const fail = (error: Error) => {
      // The end of a signal hides its reason.
      const reason: unknown = either.aborted ? either.reason : error
      resolve(reason instanceof Error ? reason.message || reason.name : String(reason))
    }
    const post = url.startsWith('https:') ? overTls : overHttp
    // An agent of its own asks directly: the receiver is on this machine or near it, whatever proxy leads to the
    // platform.
    const sent = post(url, { method: 'POST', headers, agent: false, signal: either }, (response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', fail).end(body)
  })
}

function mayPass(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
