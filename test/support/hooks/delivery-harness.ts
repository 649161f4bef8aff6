/**
 * The way of events to hooks over memory: queues that repeat and hold back, receivers with a script, a clock to move.
 */
import { expect } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import { type Delivery, attemptsOf } from '../../../core/hooks/delivery/delivery.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'
import type { HookReply, HookRequest } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { handler as requeueDeliveries } from '../../../functions/hooks/requeue-deliveries.ts'
import type { WorkerHandler } from '../../../functions/worker.ts'
import { aContext } from '../platform/api.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { aBatch } from '../records/queue-batch.ts'
import { aHook, anEvent } from '../records/records.ts'

const minuteMs = 60_000

/** As in contracts/resources.ts. */
const visibilityMs = 120_000
const mostReceives = 5
const batchSize = 10

/** An answer of a receiver. */
export const answered = (
  status: number,
  given: Partial<Extract<HookReply, { outcome: 'answered' }>> = {},
): HookReply => ({ outcome: 'answered', status, headers: {}, body: '', durationMs: 1, ...given })

/** Returns a receiver's answer to its nth request, counted from 1. */
export type Receiver = (request: HookRequest, count: number) => HookReply

/** A message in a queue. */
interface Message {
  readonly body: QueuedDelivery
  readonly availableAt: number
  readonly receives: number
}

/** The definition of a hook of the lab. */
export interface AnsweredHook extends Partial<Hook> {
  /** The answers of its receiver, one after another, the last for ever; 200 where not given. */
  readonly answers?: readonly (number | HookReply)[]
}

/** See the head of this file. */
export type DeliveryHarness = ReturnType<typeof aDeliveryHarness>

/** A harness without hooks. */
export function aDeliveryHarness() {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const log = capturedLog()
  const tools = { clock, random: systemRandomness, log, settings: readSettings({ EVENTS_PER_SECOND: '100000' }) }
  const receivers = new Map<string, Receiver>()
  /** Requests by path, which is the id of the hook. */
  const seen = new Map<string, HookRequest[]>()
  const dead: QueuedDelivery[] = []
  let waiting: Message[] = []

  ports.hookClient.answer = (request) => {
    const id = new URL(request.url).pathname.slice(1)
    const requests = [...(seen.get(id) ?? []), request]
    seen.set(id, requests)
    return receivers.get(id)?.(request, requests.length) ?? answered(200)
  }

  /** Takes what functions have queued, so that it can be handed out when its delay is over. */
  const gather = () => {
    const queued = ports.deliveryQueue.queued.splice(0)
    waiting.push(...queued.map((body) => ({ body, availableAt: clock.now() + body.delaySeconds * 1000, receives: 0 })))
  }

  const messagesOf = (id: string) => waiting.filter(({ body }) => body.id === id)

  async function handle(worker: WorkerHandler, batch: readonly Message[]): Promise<void> {
    const messages = batch.map(({ body: { id, domain, hookId, attempt, dueAt } }) => {
      return { version: 1, id, domain, hookId, attempt, dueAt }
    })
    const { batchItemFailures } = await worker(aBatch(messages), aContext)
    gather()
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const [index, message] of batch.entries()) {
      if (!failed.has(`message-${index}`)) continue
      const again = { ...message, availableAt: clock.now() + visibilityMs, receives: message.receives + 1 }
      if (again.receives >= mostReceives) dead.push(message.body)
      else waiting.push(again)
    }
  }

  /** Hands one batch of what can be taken now to its function; answers how many messages that were. */
  async function workOnce(over: MemoryPorts, most = batchSize): Promise<number> {
    gather()
    const due = waiting.filter(({ availableAt }) => availableAt <= clock.now())
    const batch = due.slice(0, most)
    if (batch.length === 0) return 0
    waiting = waiting.filter((message) => !batch.includes(message))
    await handle(deliver.over(over, tools), batch)
    return batch.length
  }

  const pipeline = {
    ports,
    clock,
    log,
    dead,
    tools,
    /**
     * Makes a hook whose receiver has a script, and is late for ever unless it is said otherwise: all attempts are
     * queued.
     */
    async hook({ answers = [200], ...given }: AnsweredHook = {}): Promise<Hook> {
      const plain = aHook({ filter: {}, retries: 8, lateAt: Number.MAX_SAFE_INTEGER, ...given })
      const sealed = await ports.secretBox.seal(new Uint8Array(32).fill(7), secretPurpose(plain.domain, plain.id))
      const url = given.action?.url ?? `https://receiver.example.com/${plain.id}`
      const hook = { ...plain, action: { ...plain.action, url }, secrets: given.secrets ?? [{ sealed }] }
      await ports.hooks.create([hook], 100)
      pipeline.receive(hook.id, (_, count) => {
        const answer = answers[count - 1] ?? answers.at(-1) ?? 200
        return typeof answer === 'number' ? answered(answer) : answer
      })
      return hook
    },
    /** Gives the receiver at a path of receiver.example.com another script. */
    receive: (path: string, receiver: Receiver) => void receivers.set(path, receiver),
    /** The requests that the receiver of a hook has seen. */
    requests: (hook: Pick<Hook, 'id'>): readonly HookRequest[] => seen.get(hook.id) ?? [],
    /** Lets events come in; answers how many of them have to come again. */
    async dispatch(events: readonly PlatformEvent[], over = ports): Promise<number> {
      const batch = aBatch(events.map((event) => ({ version: 1, ...event })))
      const { batchItemFailures } = await hookDispatch.over(over, tools)(batch, aContext)
      gather()
      return batchItemFailures.length
    },
    /** Makes every attempt that can be taken now. */
    async work(over = ports): Promise<void> {
      while ((await workOnce(over)) > 0);
    },
    workOnce: (over = ports, most = batchSize) => workOnce(over, most),
    /** The schedule that looks for what was lost. */
    async sweep(over = ports): Promise<void> {
      await requeueDeliveries
        .over(over, tools)({}, aContext)
        .catch(() => {})
      gather()
    },
    /** Every message that waits, in any queue, now or later. */
    messages: (): readonly QueuedDelivery[] => waiting.map(({ body }) => body),
    messagesOf,
    /** Loses every message, as an outage may. */
    lose: () => void waiting.splice(0),
    /** Hands every message out once more. */
    repeat: () => void waiting.push(...waiting.map((message) => ({ ...message }))),
    /** Puts a message into a queue, which can be taken at once. */
    put: (body: QueuedDelivery) => void waiting.push({ body, availableAt: clock.now(), receives: 0 }),
    deliveries: (): Delivery[] => [...ports.state.deliveries.values()],
    /** The one delivery of an event to a hook, as it is now. */
    delivery(hook: Pick<Hook, 'id'>): Delivery {
      const [found, more] = pipeline.deliveries().filter(({ hookId }) => hookId === hook.id)
      if (found === undefined || more !== undefined) throw new Error('the hook has not one delivery')
      return found
    },
    /** Moves the clock to the next message. */
    moveToNext(): boolean {
      gather()
      const next = Math.min(...waiting.map(({ availableAt }) => availableAt))
      if (!Number.isFinite(next)) return false
      clock.move(Math.max(0, next - clock.now()))
      return true
    },
    /** Goes on until no message is left and, with the schedule, no delivery is pending. */
    async settle(): Promise<void> {
      for (let step = 0; ; step += 1) {
        if (step > 20_000) throw new Error('deliveries do not come to an end')
        if (!pipeline.moveToNext()) {
          if (!pipeline.deliveries().some(({ state }) => state === 'pending')) return
          clock.move(6 * minuteMs)
          await pipeline.sweep()
        }
        await pipeline.work()
      }
    },
  }
  return pipeline
}

/** An event of the harness's domain. */
export const anArrival = (given: Partial<PlatformEvent> = {}): PlatformEvent => anEvent(given)

/** The reasons of attempts that sent nothing. */
const unsent = new Set([
  'hook_deleted',
  'hook_disabled',
  'event_expired',
  'bad_template',
  'interrupted',
  'filters_too_slow',
])

/**
 * Checks what must hold when all is over: each event has one delivery for each hook that matched it, all requests for
 * it carry that id, it has ended, and its log holds every request that its receiver saw, as answered or as interrupted,
 * and no answer that it did not give.
 */
export function checkDeliveries(
  pipeline: DeliveryHarness,
  events: readonly PlatformEvent[],
  hooks: readonly Hook[],
): void {
  const now = pipeline.clock.now() + minuteMs
  for (const hook of hooks) {
    const deliveries = pipeline.deliveries().filter(({ hookId }) => hookId === hook.id)
    expect(new Set(deliveries.map(({ eventId }) => eventId))).toEqual(new Set(events.map(({ id }) => id)))
    expect(deliveries).toHaveLength(events.length)
    const requests = pipeline.requests(hook)
    const ids = new Set(deliveries.map(({ id }) => id))
    expect(requests.filter(({ headers }) => !ids.has(headers['webhook-id'] ?? ''))).toEqual([])
    for (const delivery of deliveries) checkOne(delivery, requests, now)
  }
}

function checkOne(delivery: Delivery, requests: readonly HookRequest[], now: number): void {
  const log = attemptsOf(delivery, now)
  const made = requests.filter(({ headers }) => headers['webhook-id'] === delivery.id).length
  const logged = log.filter(({ reason }) => reason === undefined || !unsent.has(reason)).length
  const interrupted = log.filter(({ reason }) => reason === 'interrupted').length
  expect(delivery.state, 'a delivery has ended').not.toBe('pending')
  expect(delivery.nextAttemptAt).toBeUndefined()
  expect(logged, 'the log shows no request that was not made').toBeLessThanOrEqual(made)
  expect(made, 'the log shows every request').toBeLessThanOrEqual(logged + interrupted)
  const succeeded = log.some(({ status = 0 }) => status >= 200 && status < 300)
  expect(delivery.state === 'delivered', 'it is delivered when an attempt succeeded').toBe(succeeded)
}
