import type { ServerResponse } from 'node:http'
import { type Leave, Places } from '../concurrency/places.ts'

/** More requests wait than may; nothing of this one was done. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

/**
 * Requests that functions work on at one time. Their thread has one core, so more of them would not be done sooner:
 * each would take longer, until its calls of the store run out of their 3 s, and those of others with it.
 */
export const working = 10
/** Requests whose functions wait for something outside, such as a mail server, at one time: they take no processor. */
export const waitingOutside = 64
/**
 * Lookups at one time. Where only ten a second get done, the last of 16 is still in time for a caller that waits 2 s.
 */
export const lookingUp = { places: 16, waiting: 64 }
/** A lookup that is not worked on after this long is refused: its caller can still do something else. */
export const longestLookupWaitMs = 50
/** Bodies that are held at one time, apart from small ones. */
const bodies = 32
const smallBodyBytes = 16 * 1024
/** Requests that may wait for each of these. */
export const maxWaiting = 1000

/** What the gateway has to know about a route in addition to its function. */
export interface RouteTraits {
  /** As an HTTP API has it: `POST /path/{parameter}`. */
  readonly key: string
  /** Whether its callers wait only briefly, and can do something else when it is refused. */
  readonly isLookup?: boolean
  /** Whether its function mostly waits for something outside of the platform, such as a receiver. */
  readonly waitsOutside?: boolean
  /** The most bytes that a body may have, if more than usual. */
  readonly maxBodyBytes?: number
}

/**
 * Bounds the load of concurrent requests on this machine. Requests over the bounds wait, in the order in which they
 * came, and are refused when {@link maxWaiting} wait already.
 */
export class Admission {
  readonly #working = new Places(working, maxWaiting)
  readonly #outside = new Places(waitingOutside, maxWaiting)
  readonly #bodies = new Places(bodies, maxWaiting)
  readonly #lookingUp = new Places(lookingUp.places, lookingUp.waiting)
  readonly #waitOutside: ReadonlySet<string>
  readonly #lookups: ReadonlySet<string>

  constructor(routes: readonly RouteTraits[]) {
    this.#waitOutside = new Set(routes.filter(({ waitsOutside }) => waitsOutside === true).map(({ key }) => key))
    this.#lookups = new Set(routes.filter(({ isLookup }) => isLookup === true).map(({ key }) => key))
  }

  /**
   * Waits until a body of so many bytes may be read; most may at once. Returns what is called when it is no longer
   * held.
   */
  async body(bytes: number, response: ServerResponse): Promise<Leave> {
    return bytes <= smallBodyBytes ? () => {} : take(this.#bodies, response)
  }

  /** Waits until the function of a route may be called. Returns what is called when it is done. */
  async call(routeKey: string, response: ServerResponse): Promise<Leave> {
    if (this.#lookups.has(routeKey)) return take(this.#lookingUp, response, longestLookupWaitMs)
    return take(this.#waitOutside.has(routeKey) ? this.#outside : this.#working, response)
  }
}

/** Waits for a place until the client is gone, or the time is over. */
async function take(places: Places, response: ServerResponse, patienceMs?: number): Promise<Leave> {
  const free = places.tryTake()
  if (free !== undefined) return free
  const gone = new AbortController()
  const abort = () => gone.abort()
  const timer = patienceMs === undefined ? undefined : setTimeout(abort, patienceMs)
  if (response.closed) abort()
  else response.once('close', abort)
  try {
    const place = await places.take(gone.signal)
    if (place !== undefined) return place
  } finally {
    response.off('close', abort)
    clearTimeout(timer)
  }
  const late = patienceMs !== undefined && gone.signal.aborted
  throw new TooManyWaiting(late ? `nothing was free within ${patienceMs} ms` : `${maxWaiting} requests wait already`)
}
