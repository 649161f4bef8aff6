import type { ServerResponse } from 'node:http'
import type { Route } from '../../contracts/routes/route.ts'
import { FairPlaces, TooManyWaiting } from './fair-places.ts'

/**
 * Requests that functions work on at one time. Their thread has one core, so more of them would not be done sooner: each
 * would take longer, until its calls of the store run out of their 3 s, and those of other callers with it.
 */
const working = 10
/** Requests that wait for an engine, a receiver or a mail server at one time. These cost little meanwhile. */
const waitingOutside = 128
/**
 * A function that waits for something outside gives its working place back after this long, even if it sent nothing outside:
 * a repeated request waits for the outcome of the first one.
 */
export const longestWorkMs = 1000
/**
 * Requests of callers that wait only briefly, which are worked on at one time: 16 for one caller alone. Their functions have a thread of
 * their own. Where only ten a second get done, the last of 16 is still in time for an engine that waits 2 s.
 */
const lookingUp = { places: 32, waiting: 64 }
/** Such a request that is not worked on after this long is refused: its caller can still do something else. */
export const longestLookupWaitMs = 50
/** KiB of bodies that are held at one time: 32 of the largest. */
const bodyKib = 32 * 1024
/** KiB of a body that counts for nothing: with those of all requests that may wait it makes 32 MB. */
const smallBodyKib = 16
/** Requests that may wait for each of these. */
export const maxWaiting = 1000

/**
 * Bounds the load of concurrent requests on this machine. Requests over the bounds wait, fairly by caller ({@link
 * FairPlaces}), and are refused when {@link maxWaiting} wait already. A request holds its share until its answer is sent or
 * its client has disconnected, so slow readers of large answers are bounded, too.
 */
export class Admission {
  readonly #working = new FairPlaces({ places: working, waiting: maxWaiting })
  readonly #outside = new FairPlaces({ places: waitingOutside, waiting: maxWaiting })
  readonly #bodies = new FairPlaces({ places: bodyKib, waiting: maxWaiting })
  readonly #lookingUp = new FairPlaces(lookingUp)
  /** Keys of routes whose functions wait for something outside of the platform. */
  readonly #waitOutside: ReadonlySet<string>
  /** Keys of routes whose callers wait only briefly. */
  readonly #lookups: ReadonlySet<string>

  constructor(routes: readonly Pick<Route, 'method' | 'path' | 'needs' | 'timeoutSeconds'>[]) {
    this.#waitOutside = new Set(routes.filter(mayWaitOutside).map(keyOf))
    this.#lookups = new Set(routes.filter(({ timeoutSeconds }) => timeoutSeconds !== undefined).map(keyOf))
  }

  /** Waits until a body of so many bytes may be read; most may at once. */
  body(caller: string, bytes: number, response: ServerResponse): Promise<unknown> | undefined {
    const kib = Math.ceil(bytes / 1024)
    if (kib <= smallBodyKib) return undefined
    return Promise.resolve(enter(this.#bodies, caller, response, Math.min(kib, bodyKib)))
  }

  /**
   * Waits until the function of a route may be called, if it has to wait. Returns what gives the working place back, to be called when
   * the function has sent its request outside, or is done. It does nothing where the place is held until the answer is sent. The place of
   * a lookup is held until its function is done, also when its caller has gone.
   */
  call(caller: string, routeKey: string, response: ServerResponse): Promise<() => void> | (() => void) {
    if (this.#lookups.has(routeKey)) {
      return this.#lookingUp.take(caller) ?? waitFor(this.#lookingUp, caller, response, 1, longestLookupWaitMs)
    }
    if (this.#waitOutside.has(routeKey)) return this.#callOutside(caller, response)
    const entered = enter(this.#working, caller, response, 1)
    return entered instanceof Promise ? entered.then(() => keepPlace) : keepPlace
  }

  async #callOutside(caller: string, response: ServerResponse): Promise<() => void> {
    await enter(this.#outside, caller, response, 1)
    const leave = await enter(this.#working, caller, response, 1)
    const timer = setTimeout(leave, longestWorkMs)
    response.once('close', () => clearTimeout(timer))
    return leave
  }
}

const keepPlace = () => {}

function keyOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Lists of calls are readings that requests share; they take work and little waiting. */
function mayWaitOutside({ method, needs }: Pick<Route, 'method' | 'needs'>): boolean {
  return method !== 'GET' && (needs.engine?.includes('run') === true || (needs.hookClient ?? needs.mail) !== undefined)
}

/** Takes places until they are given back, which the returned function does, or until the response is closed. */
function enter(
  places: FairPlaces,
  caller: string,
  response: ServerResponse,
  count: number,
): Promise<() => void> | (() => void) {
  const leave = places.take(caller, count)
  return leave === undefined ? enterLater(places, caller, response, count) : untilClosed(response, leave)
}

async function enterLater(places: FairPlaces, caller: string, response: ServerResponse, count: number) {
  return untilClosed(response, await waitFor(places, caller, response, count))
}

function untilClosed(response: ServerResponse, leave: () => void): () => void {
  if (response.closed) leave()
  else response.on('close', leave)
  return leave
}

/** Waits for places until the client is gone, or the time is over. */
async function waitFor(
  places: FairPlaces,
  caller: string,
  response: ServerResponse,
  count: number,
  patienceMs?: number,
): Promise<() => void> {
  const gone = new AbortController()
  const abort = () => gone.abort()
  const refuse = () => gone.abort(new TooManyWaiting(`nothing was free within ${patienceMs} ms`))
  const timer = patienceMs === undefined ? undefined : setTimeout(refuse, patienceMs)
  if (response.closed) abort()
  else response.once('close', abort)
  try {
    return await places.wait(caller, gone.signal, count)
  } finally {
    // An abort makes an error with a stack, which costs as much as the rest of the wait.
    response.off('close', abort)
    clearTimeout(timer)
  }
}
