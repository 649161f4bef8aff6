import type { Answer } from '../../client/index.ts'
import type { RouteRecord } from '../document/model.ts'
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
  /** Calls that were looked at. */
  readonly calls: number
  /** Different calls among them, by number, caller and hour of the week, and how many of these were simulated. */
  readonly different: number
  readonly simulated: number
  /** Whether there were more calls than a report reads. */
  readonly isCut: boolean
}

interface CallKind {
  readonly number: string
  readonly caller: string
  readonly time: string
  readonly uuid: string
  count: number
}

/**
 * Returns which calls of the last {@link reportDays} days would now go elsewhere, newest first. Each different call is simulated with the
 * stored routes and with the routes of the document; everything else of the domain is as it is stored.
 */
export async function reportRoutes(target: Target, routes: readonly RouteRecord[]): Promise<RouteReport> {
  const { kinds, calls, isCut } = await pastCalls(target)
  const chosen = kinds.slice(0, reportLimits.simulations)
  const bodies = routes.map(routeBody)
  const moved: MovedCall[] = []
  for (const { number, caller, time, uuid, count } of chosen) {
    const call = { number, caller, time }
    const before = await simulate(target, call)
    const after = await simulate(target, { ...call, routes: bodies })
    const [from, to] = [wayOf(before), wayOf(after)]
    if (from !== to) moved.push({ number, caller, count, uuid, from: nameOf(before), to: nameOf(after) })
  }
  return { moved, calls, different: kinds.length, simulated: chosen.length, isCut }
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

/** Returns what a call does, in one text: two routes that do the same are the same way. */
function wayOf({ matched, steps, end }: Simulation): string {
  const taken = steps.filter((step) => step.taken).map(({ application, data }) => [application, data])
  // A step that goes on later names its route by an id, and those of the document's routes are others.
  return JSON.stringify([matched.kind, taken, end]).replaceAll(/[0-9a-f]{24}/g, '')
}

function nameOf({ matched, end }: Simulation): string {
  const where =
    matched.kind === 'default' ? `route "${matched.name ?? ''}"` : matched.kind === 'none' ? 'no route' : matched.kind
  return `${where} (${'cause' in end ? end.cause : end.application})`
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

async function pastCalls({ client, domain, signal }: Target) {
  const kinds = new Map<string, CallKind>()
  let calls = 0
  const body = {
    index: 'cdr-a',
    query: '*',
    filter: [{ range: { created_time: { gte: `now-${reportDays}d` } } }],
    columns: ['destination_number', 'extension', 'caller_id_number', 'created_time', 'uuid'],
    sort: { created_time: { order: 'desc' as const } },
    limit: 1000,
  }
  for await (const { _id: uuid, fields = {} } of client.cdrs({ query: { domain }, body, signal })) {
    if (calls >= reportLimits.calls) return { kinds: [...kinds.values()], calls, isCut: true }
    calls += 1
    const text = (name: string) => textOf((fields as Readonly<Record<string, readonly unknown[]>>)[name]?.[0])
    const [number, time] = [text('destination_number'), text('created_time')]
    // Only calls that an account placed are routed by default routes.
    const caller = text('extension')
    if (number === '' || caller === '' || time === '') continue
    const moment = new Date(time)
    const key = JSON.stringify([number, caller, moment.getUTCDay(), moment.getUTCHours()])
    const kind = kinds.get(key)
    if (kind === undefined) kinds.set(key, { number, caller, time, uuid, count: 1 })
    else kind.count += 1
  }
  return { kinds: [...kinds.values()], calls, isCut: false }
}
