import type { EventLog } from '../../events/event-log.ts'
import type { LoggedEvent } from '../../events/platform-event.ts'
import type { HookRequest } from '../request/hook-client.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'
import { placeholderReply } from '../request/auth-request.ts'
import { type UnsentReason, callHook } from '../request/call-hook.ts'
import { hookContent, refuseProblems } from '../definition/hook-content.ts'
import type { HookInput } from '../definition/hook-input.ts'
import { type HookJudges, hookProblems } from '../definition/hook-rules.ts'
import { type Rest, limitedPatterns } from '../matching/matching.ts'
import { type Refusal, refusals } from '../matching/refusals.ts'
import { type HmacSha256, encodeSecret } from '../definition/signing.ts'

/** How much of a domain's log a dry run looks at, and how much of it its answer shows. */
export const dryRunLimits = {
  events: 200,
  /** Steps that the patterns of the filters may take over all of them: some 700 ms for the slowest there are. */
  patternSteps: 40_000_000,
  names: 50,
  /** UTF-16 units of JSON: beyond it nothing more is shown, though always one event. */
  shown: 1_000_000,
} as const

/** Nothing in here can send or store anything. */
export interface DryRun {
  readonly eventLog: Pick<EventLog, 'latest'>
  readonly clock: Clock
  readonly hmac: HmacSha256
  readonly judges: HookJudges
  readonly rest: Rest
}

/** The result of a hook for one event. */
export interface RehearsedEvent {
  readonly sequence: number
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly matches: boolean
  readonly refusedBy: readonly Refusal[]
  readonly authRequest?: HookRequest | undefined
  readonly request?: HookRequest | undefined
  readonly problem?: UnsentReason | undefined
}

/** The results of a hook for the last events of its domain. */
export interface Rehearsal {
  readonly looked: number
  /** Events that the hook does not name, by name, the most frequent first. */
  readonly otherEvents: readonly { readonly event: string; readonly count: number }[]
  /** Events that it names: those that its filters let pass, and those that a filter refuses. */
  readonly matched: number
  readonly refused: number
  readonly events: readonly RehearsedEvent[]
  readonly isCut: boolean
  readonly exampleSecret: string
}

/** No hook has this key: 32 bytes, as a real one. */
const exampleKey = new TextEncoder().encode('an example secret, 32 bytes long')
/** Stands where a hook and a delivery that are there have their ids. */
const noHook = '0'.repeat(24)
const noDelivery = `msg_${'0'.repeat(32)}`

/**
 * Shows what a hook would do with the last events of its domain, if it existed and were enabled: for which events it
 * would fire, which filter rejects the others and the value there, and the exact request that would be sent. Its id,
 * time and signature are examples; `${auth:…}` is left unchanged, since no pre-request is made. At most `limit` events
 * are shown. Throws `invalid_field` as the creation of the hook would, and if its patterns are too much work.
 */
export async function dryRunHook(tools: DryRun, domain: string, input: HookInput, limit: number): Promise<Rehearsal> {
  refuseProblems(hookProblems(input, tools.judges))
  const hook: Hook = { ...hookContent(input), id: noHook, domain, secrets: [], createdAt: 0, version: 1 }
  const logged = (await tools.eventLog.latest(domain, dryRunLimits.events)).toReversed()
  const work = limitedPatterns(tools.judges.compile, tools.rest, dryRunLimits.patternSteps)
  const named = logged.filter(({ event }) => event.name === hook.event)
  const judged: { readonly entry: LoggedEvent; readonly refusedBy: readonly Refusal[] }[] = []
  for (const entry of named) judged.push({ entry, refusedBy: await refusals(hook.filter, entry.event.fields, work) })
  const matched = judged.filter(({ refusedBy }) => refusedBy.length === 0).length
  const events: RehearsedEvent[] = []
  let size = 0
  for (const { entry, refusedBy } of judged.slice(0, limit)) {
    const shown = await rehearse(tools, hook, entry, refusedBy)
    size += JSON.stringify(shown).length
    if (events.length > 0 && size > dryRunLimits.shown) break
    events.push(shown)
  }
  return {
    looked: logged.length,
    otherEvents: countNames(logged.filter(({ event }) => event.name !== hook.event)),
    matched,
    refused: judged.length - matched,
    events,
    isCut: events.length < judged.length,
    exampleSecret: encodeSecret(exampleKey),
  }
}

function countNames(logged: readonly LoggedEvent[]): Rehearsal['otherEvents'] {
  const counts = new Map<string, number>()
  for (const { event } of logged) counts.set(event.name, (counts.get(event.name) ?? 0) + 1)
  return [...counts]
    .map(([event, count]) => ({ event, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, dryRunLimits.names)
}

async function rehearse(
  tools: DryRun,
  hook: Hook,
  { sequence, event }: LoggedEvent,
  refusedBy: readonly Refusal[],
): Promise<RehearsedEvent> {
  const { uuid, occurredAt } = event
  const matches = refusedBy.length === 0
  const shown = { sequence, uuid, occurredAt, matches, refusedBy }
  if (!matches) return shown
  const kept: HookRequest[] = []
  // The code of every delivery, with a client that keeps the requests instead of sending them.
  const hookClient = {
    async send(request: HookRequest) {
      kept.push(request)
      return placeholderReply(hook)
    },
  }
  const subject = { id: noDelivery, eventName: event.name, sequence }
  const called = await callHook({ ...tools, hookClient }, { hook, keys: [exampleKey] }, subject, event)
  if (called.outcome === 'unsent') return { ...shown, authRequest: kept[0], problem: called.reason }
  const { request } = called
  return { ...shown, authRequest: kept.find((each) => each !== request), request }
}
