import { invalidField } from '../../errors.ts'
import { sampleEvent } from '../../events/sample-event.ts'
import { type RateLimitStore, rateLimited } from '../../requests/rate-limit.ts'
import { jsonBytes } from '../../requests/json-bytes.ts'
import type { SecretBox } from '../../secrets.ts'
import type { EventLog } from '../../events/event-log.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryEvent,
  type DeliveryState,
  newDelivery,
} from '../delivery/delivery.ts'
import type { HookRequest } from '../request/hook-client.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Randomness } from '../../time.ts'
import { type CalledHook, type HookCall, callHook, signingKeys } from '../request/call-hook.ts'
import type { DeliveryIdOf } from '../attempt/first-attempts.ts'
import { type JsonObject, storingProblem } from '../definition/event-fields.ts'
import { judgeReply } from '../attempt/judge-reply.ts'
import type { PatternCompiler } from '../../requests/pattern.ts'
import { type Rest, limitedPatterns, patternWork } from '../matching/matching.ts'
import { type HookName, readHook } from '../definition/read-hook.ts'
import { type Refusal, refusals } from '../matching/refusals.ts'

export interface HookTest extends HookCall {
  readonly hooks: Pick<HookStore, 'read'>
  readonly eventLog: Pick<EventLog, 'head'>
  readonly deliveries: Pick<DeliveryStore, 'keepEvent' | 'create' | 'read' | 'beginAttempt' | 'recordAttempt'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
  readonly random: Randomness
  readonly compile: PatternCompiler
  readonly rest: Rest
  readonly deliveryIdOf: DeliveryIdOf
  readonly requestId?: string | undefined
}

/** How a hook is tested. */
export interface TestInput {
  readonly event?: JsonObject | undefined
  readonly force?: boolean | undefined
}

/** The result of a test. */
export interface TestedHook {
  /** `skipped`: a filter refused the event, and nothing was sent or recorded. */
  readonly state: Exclude<DeliveryState, 'pending'>
  readonly reason?: string | undefined
  readonly delivery?: string | undefined
  /** The hook's own request; `null` when it was not sent. */
  readonly sent: HookRequest | null
  /** `null` when no answer came. */
  readonly reply: { readonly status: number; readonly durationMs: number; readonly snippet: string } | null
  readonly refusedBy: readonly Refusal[]
}

/** The limits of tests. */
export const testLimits = {
  tests: { limit: 20, windowMs: 60_000 },
  /** Bytes of an event as JSON: as much as is kept of any. */
  eventBytes: 200 * 1024,
} as const

/** The most of a call's uuid that the log shows, in UTF-16 units. */
const maxUuidLength = 128

/** Longer than a request takes: a test that was killed on its way is then taken up as any delivery is. */
const takenUpMs = 60_000

/**
 * Sends one event to a hook, once, and puts it in the log with the number 0; whatever comes of it, the hook stays as it
 * is. A disabled hook can be tested, too. Throws `invalid_field` for an event that is too large or too deep and for
 * filters that are too much work, `not_found` and `rate_limited`.
 */
export async function testHook(tools: HookTest, name: HookName, input: TestInput): Promise<TestedHook> {
  const { event: given } = input
  if (given !== undefined && jsonBytes(given) > testLimits.eventBytes) {
    throw invalidField('event', `must have at most ${testLimits.eventBytes} bytes as JSON`)
  }
  const problem = given && storingProblem(given)
  if (problem !== undefined) throw invalidField('event', problem)
  const hook = await readHook(tools.hooks, name)
  const now = tools.clock.now()
  const verdict = await tools.rateLimits.takeInWindow(`test-hook:${name.domain}`, testLimits.tests, now)
  if (!verdict.isAllowed) throw rateLimited(verdict, 'too many tests of the hooks of this domain')
  const event = testEvent(hook, given, { id: `test:${tools.random.uuid()}`, now })
  const work = limitedPatterns(tools.compile, tools.rest, patternWork.event)
  const refusedBy = input.force === true ? [] : await refusals(hook.filter, event.fields, work)
  if (refusedBy.length > 0) return { state: 'skipped', reason: 'filtered', sent: null, reply: null, refusedBy }
  return send(tools, hook, event)
}

function testEvent(hook: Hook, fields: JsonObject | undefined, made: { id: string; now: number }): DeliveryEvent {
  if (fields === undefined) return sampleEvent(hook.event, hook.domain, made)
  const uuid = fields['Unique-ID']
  return {
    id: made.id,
    name: hook.event,
    domain: hook.domain,
    uuid: typeof uuid === 'string' ? uuid.slice(0, maxUuidLength) : '',
    occurredAt: made.now,
    fields,
  }
}

async function send(tools: HookTest, hook: Hook, event: DeliveryEvent): Promise<TestedHook> {
  const { deliveries, clock, random } = tools
  const [keys, delivery] = [await signingKeys(tools.secretBox, hook, clock.now()), await begin(tools, hook, event)]
  const [run, at] = [`${random.uuid()}:${clock.now()}`, clock.now()]
  if (!(await deliveries.beginAttempt(delivery, run, at))) return recorded(tools, delivery)
  const called = await callHook(tools, { hook, keys }, delivery, event)
  const { isSuccess, retryAfter: _retryAfter, ...answer } = judgeReply(called)
  const { reason, replySnippet } = answer
  const attempt: DeliveryAttempt = { at, durationMs: clock.now() - at, ...answer }
  const state = isSuccess ? 'delivered' : 'failed'
  await deliveries.recordAttempt(delivery, { run, attempt, state })
  return { state, reason, delivery: delivery.id, ...shown(called, replySnippet), refusedBy: [] }
}

/**
 * The record of a test, made before anything is sent; that of an earlier run of the same request where there is one and
 * no event has happened since.
 */
async function begin(tools: HookTest, hook: Hook, event: DeliveryEvent): Promise<Delivery> {
  const { deliveries, eventLog, clock, deliveryIdOf, requestId } = tools
  const [at, head] = [clock.now(), await eventLog.head(hook.domain)]
  const id = deliveryIdOf(event.id, hook.id, head)
  const delivery = {
    ...newDelivery(hook, { ...event, requestId }, { id, sequence: 0, at }),
    nextAttemptAt: at + takenUpMs,
  }
  await deliveries.keepEvent(event)
  if (await deliveries.create(delivery)) return delivery
  return (await deliveries.read(hook.domain, hook.id, id)) ?? delivery
}

async function recorded({ deliveries }: HookTest, given: Delivery): Promise<TestedHook> {
  const delivery = (await deliveries.read(given.domain, given.hookId, given.id)) ?? given
  const { status, durationMs = 0, reason, replySnippet: snippet = '' } = delivery.attempts.at(-1) ?? {}
  const reply = status === undefined ? null : { status, durationMs, snippet }
  const state = delivery.state === 'pending' ? 'failed' : delivery.state
  return { state, reason, delivery: delivery.id, sent: null, reply, refusedBy: [] }
}

function shown(called: CalledHook, snippet = ''): Pick<TestedHook, 'sent' | 'reply'> {
  if (called.outcome === 'unsent') return { sent: null, reply: null }
  const { request, reply } = called
  if (reply.outcome === 'failed') return { sent: request, reply: null }
  return { sent: request, reply: { status: reply.status, durationMs: reply.durationMs, snippet } }
}
