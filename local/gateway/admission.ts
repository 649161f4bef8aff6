import type { ServerResponse } from 'node:http'
import type { Route } from '../../contracts/routes/route.ts'
import { type Release, Semaphore } from '../../core/concurrency/semaphore.ts'

/** More requests wait than may; nothing of this one was done. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

/**
 * Requests that functions work on at one time. Their thread has one core, so more of them would not be done sooner:
 * each would take longer, until its calls of the store run out of their 3 s, and those of others with it.
 */
export const working = 10
/**
 * Requests that wait for an engine, a receiver or a mail server at one time: as many as a connector has commands in
 * flight.
 */
export const waitingOutside = 64
/**
 * Lookups at one time. Where only ten a second get done, the last of 16 is still in time for an engine that waits 2 s.
 */
export const lookingUp = { places: 16, waiting: 64 }
/** A lookup that is not worked on after this long is refused: its caller can still do something else. */
export const longestLookupWaitMs = 50
/** Bodies that are held at one time, apart from small ones. */
const bodies = 32
const smallBodyBytes = 16 * 1024
/** Requests that may wait for each of these. */
export const maxWaiting = 1000

/** Returns whether the callers of a route wait only briefly. */
export function isLookup({ timeoutSeconds }: Pick<Route, 'timeoutSeconds'>): boolean {
  return timeoutSeconds !== undefined
}

/** Returns the key of a route, as an HTTP API has it. */
export function keyOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/**
 * Bounds the load of concurrent requests on this machine. Requests over the bounds wait, in the order in which they
 * came, and are refused when {@link maxWaiting} wait already.
 */
export class Admission {
  readonly #working = new Semaphore(working, maxWaiting)
  readonly #outside = new Semaphore(waitingOutside, maxWaiting)
  readonly #bodies = new Semaphore(bodies, maxWaiting)
  readonly #lookingUp = new Semaphore(lookingUp.places, lookingUp.waiting)
  readonly #waitOutside: ReadonlySet<string>
  readonly #lookups: ReadonlySet<string>

  constructor(routes: readonly Pick<Route, 'method' | 'path' | 'needs' | 'timeoutSeconds'>[]) {
    this.#waitOutside = new Set(routes.filter(mayWaitOutside).map(keyOf))
    this.#lookups = new Set(routes.filter(isLookup).map(keyOf))
  }

  /**
   * Waits until a body of so many bytes may be read; most may at once. Returns what is called when it is no longer
   * held.
   */
  async body(bytes: number, response: ServerResponse): Promise<Release> {
    return bytes <= smallBodyBytes ? () => {} : take(this.#bodies, response)
  }

  /** Waits until the function of a route may be called. Returns what is called when it is done. */
  async call(routeKey: string, response: ServerResponse): Promise<Release> {
    if (this.#lookups.has(routeKey)) return take(this.#lookingUp, response, longestLookupWaitMs)
    return take(this.#waitOutside.has(routeKey) ? this.#outside : this.#working, response)
  }
}

/** Lists of calls are readings that requests share; they take work and little waiting. */
function mayWaitOutside({ method, needs }: Pick<Route, 'method' | 'needs'>): boolean {
  return method !== 'GET' && (needs.engine?.includes('run') === true || (needs.hookClient ?? needs.mail) !== undefined)
}

/** Waits for a place until the client is gone, or the time is over. */
async function take(places: Semaphore, response: ServerResponse, patienceMs?: number): Promise<Release> {
  const free = places.tryTake()
  if (free !== undefined) return free
  const gone = new AbortController()
  const abort = () => gone.abort()
  const timer = patienceMs === undefined ? undefined : setTimeout(abort, patienceMs)
  if (response.closed) abort()
  else response.once('close', abort)
  try {
    const place = await places.take(undefined, gone.signal)
    if (place !== undefined) return place
  } finally {
    response.off('close', abort)
    clearTimeout(timer)
  }
  const late = patienceMs !== undefined && gone.signal.aborted
  throw new TooManyWaiting(late ? `nothing was free within ${patienceMs} ms` : `${maxWaiting} requests wait already`)
}
