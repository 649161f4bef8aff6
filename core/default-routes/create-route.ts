import { DomainError } from '../errors.ts'
import type { RouteStore } from './route-store.ts'
import type { RouteHead } from './stored-route.ts'
import type { Clock, Randomness } from '../time.ts'
import { newRecordId } from '../record-id.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { CallflowJudges } from './parse-callflow.ts'
import { type RouteInput, readRouteInput } from './route-input.ts'

/** The most routes of a domain in one store: as many default routes and as many public ones. */
const maxRoutes = 1_000
/** The highest order; among equal orders the id decides. */
const maxOrder = 2_147_483_647

/** The inputs of a route's creation. */
export interface RouteCreation {
  readonly store: Pick<RouteStore, 'list' | 'create'>
  readonly clock: Clock
  readonly random: Randomness
  readonly judges: CallflowJudges
}

/**
 * Creates a route and returns its id. Without an order of its own it comes after all others. Throws `invalid_field` and
 * `permission_denied` for violations of the rules, and `conflict` when the domain has {@link maxRoutes}.
 */
export async function createRoute(
  { store, clock, random, judges }: RouteCreation,
  domain: string,
  input: RouteInput,
): Promise<string> {
  const content = readRouteInput(input, judges)
  const id = newRecordId(random)
  const createdAt = clock.now()
  return untilDone(async () => {
    const { routes, edition } = await store.list(domain)
    // A repetition of this creation, whose answer was lost.
    if (routes.some((route) => route.id === id)) return id
    if (routes.length >= maxRoutes) throw new DomainError('conflict', `a domain has at most ${maxRoutes} routes`)
    const order = input.order ?? afterAll(routes)
    const isMade = await store.create({ ...content, id, domain, order, createdAt, revision: 1 }, edition)
    return isMade ? id : undefined
  })
}

function afterAll(routes: readonly RouteHead[]): number {
  const last = routes.at(-1)
  return last === undefined ? 1 : Math.min(last.order + 1, maxOrder)
}
