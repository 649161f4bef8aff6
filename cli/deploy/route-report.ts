import { type Answer, CallplaneError } from '../../client/index.ts'
import type { PublicRouteRecord, RouteRecord } from '../document/model.ts'
import type { Target } from './read-domain.ts'
import { routeBody } from './request-bodies.ts'

/** Days of calls that are looked at. */
export const reportDays = 30

/** Bounds of a report: CDRs that are read, and different calls that are simulated, each of them twice. */
const reportLimits = { calls: 5_000, simulations: 200 } as const

/** A call of the past that would now go elsewhere. */
export interface MovedCall {
  readonly number: string
  readonly caller: string
  /** How many calls of that kind there were; the newest is simulated. */
  readonly count: number
  readonly uuid: string
  readonly from: string
  readonly to: string
}

/** The effect that a change of routes would have had to the calls of the last days. */
export interface RouteReport {
  readonly moved: readonly MovedCall[]
  readonly calls: number
  /** Different calls among them, by number, caller, gateway and hour of the week, and how many were simulated. */
  readonly different: number
  readonly simulated: number
  /**
   * Calls that were left out: their gateway cannot be said, or the simulation does not take their number or caller,
   * which strangers choose.
   */
  readonly unplaced: number
  readonly isCut: boolean
}

/** The routes of a document, as far as it changes them. */
export interface ChangedRoutes {
  readonly default?: readonly RouteRecord[] | undefined
  readonly public?: readonly PublicRouteRecord[] | undefined
}

interface CallKind {
  readonly number: string
  readonly caller: string
  /** The gateway that the call came from; `undefined` for one that an account placed. */
  readonly gateway: string | undefined
  readonly time: string
  readonly uuid: string
  /** The hangup cause of its record. */
  readonly cause: string
  count: number
}

/**
 * Returns which calls of the last {@link reportDays} days would now go elsewhere, newest first. Default routes are
 * judged by calls that accounts placed, public routes by calls that came from gateways. Each different call is
 * simulated with the stored routes and with those of the document; everything else of the domain is as it is stored.
 */
export async function reportRoutes(target: Target, routes: ChangedRoutes): Promise<RouteReport> {
  const { kinds, calls, unplaced, isCut } = await pastCalls(target, routes)
  const chosen = kinds.slice(0, reportLimits.simulations)
  const bodies = { default: routes.default?.map(routeBody), public: routes.public?.map(routeBody) }
  const moved: MovedCall[] = []
  let refused = 0
  for (const { number, caller, gateway, time, uuid, cause, count } of chosen) {
    const call = {
      number,
      time,
      ...(caller === '' ? {} : { caller }),
      ...(gateway === undefined ? {} : { direction: 'inbound', gateway }),
    }
    const before = await simulateStored(target, call)
    if (before === undefined) {
      refused += count
      continue
    }
    const after = await simulate(target, { ...call, routes: gateway === undefined ? bodies.default : bodies.public })
    const [from, to] = [wayOf(before), wayOf(after)]
    if (from !== to) moved.push({ number, caller, count, uuid, from: pastNameOf(before, cause), to: nameOf(after) })
  }
  return { moved, calls, different: kinds.length, simulated: chosen.length, unplaced: unplaced + refused, isCut }
}

type Simulation = Answer<'simulateDefaultRoutes'>['data']

async function simulate({ client, domain, signal }: Target, body: object): Promise<Simulation> {
  const { data } = await client.call('simulateDefaultRoutes', {
    query: { domain },
    body: body as { number: string },
    signal,
  })
  return data
}

/** Simulates a call with the stored routes; `undefined` if the platform refuses its number or caller. */
async function simulateStored(target: Target, call: object): Promise<Simulation | undefined> {
  try {
    return await simulate(target, call)
  } catch (error) {
    if (error instanceof CallplaneError && error.code === 'invalid_field') return undefined
    throw error
  }
}

/** Returns what a call does, in one text: two routes that do the same are the same way. */
function wayOf({ matched, steps, end }: Simulation): string {
  const taken = steps.filter((step) => step.taken).map(({ application, data }) => [application, data])
  // A step that goes on later names its route by an id, and those of the document's routes are others.
  return JSON.stringify([matched.kind, taken, end]).replaceAll(/[0-9a-f]{24}/g, '')
}

function nameOf({ matched, end }: Simulation): string {
  const isRoute = matched.kind === 'default' || matched.kind === 'public'
  const where = isRoute ? `route "${matched.name ?? ''}"` : matched.kind === 'none' ? 'no route' : matched.kind
  return `${where} (${'cause' in end ? end.cause : end.application})`
}

/** A call that no route took, and that found its way all the same: the engine's own dial plan had it. */
function pastNameOf(before: Simulation, cause: string): string {
  const hadNoWay = cause === '' || cause === 'NO_ROUTE_DESTINATION'
  return before.matched.kind === 'none' && !hadNoWay ? `the engine's own dial plan (ended ${cause})` : nameOf(before)
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

type Columns = Readonly<Record<string, readonly unknown[]>>

async function pastCalls(target: Target, changed: ChangedRoutes) {
  const { client, domain, signal } = target
  const gateways = changed.public === undefined ? [] : await usableGateways(target)
  const kinds = new Map<string, CallKind>()
  let calls = 0
  let unplaced = 0
  const body = {
    index: 'cdr-a',
    query: '*',
    filter: [{ range: { created_time: { gte: `now-${reportDays}d` } } }],
    columns: [
      'destination_number',
      'extension',
      'caller_id_number',
      'direction',
      'gateway',
      'created_time',
      'uuid',
      'hangup_cause',
    ],
    sort: { created_time: { order: 'desc' as const } },
    limit: 1000,
  }
  for await (const { _id: uuid, fields = {} } of client.cdrs({ query: { domain }, body, signal })) {
    if (calls >= reportLimits.calls) return { kinds: [...kinds.values()], calls, unplaced, isCut: true }
    calls += 1
    const text = (name: string) => textOf((fields as Columns)[name]?.[0])
    const [number, time, account] = [text('destination_number'), text('created_time'), text('extension')]
    if (number === '' || time === '') continue
    const isFromGateway = account === '' && text('direction') === 'inbound'
    if (isFromGateway ? changed.public === undefined : account === '' || changed.default === undefined) continue
    const gateway = isFromGateway ? gatewayOf(text('gateway'), domain, gateways) : undefined
    if (isFromGateway && gateway === undefined) {
      unplaced += 1
      continue
    }
    const caller = isFromGateway ? text('caller_id_number') : account
    const moment = new Date(time)
    const key = JSON.stringify([number, caller, gateway, moment.getUTCDay(), moment.getUTCHours()])
    const kind = kinds.get(key)
    if (kind === undefined)
      kinds.set(key, { number, caller, gateway, time, uuid, cause: text('hangup_cause'), count: 1 })
    else kind.count += 1
  }
  return { kinds: [...kinds.values()], calls, unplaced, isCut: false }
}

async function usableGateways({ client, domain, signal }: Target): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { data } of client.pages('listGateways', { query: { domain, limit: 1000 }, signal })) {
    for (const { name, enabled } of data) if (name !== undefined && enabled === true) names.push(name)
  }
  return names
}

/** Returns the gateway of a call: that of its CDR, which has the engine's name of it, else the only one. */
function gatewayOf(engineName: string, domain: string, gateways: readonly string[]): string | undefined {
  const named = gateways.find((name) => engineName === `${domain}_${name}`)
  return named ?? (engineName === '' && gateways.length === 1 ? gateways[0] : undefined)
}
