/** The whole way of an event to its receivers: both workers over memory stores, with the real hook client. */
import { expect } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { createHooks } from '../../../core/hooks/definition/create-hooks.ts'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import { rotateSecret } from '../../../core/hooks/definition/rotate-secret.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import type { HookClient } from '../../../core/hooks/request/hook-client.ts'
import type { Clock } from '../../../core/time.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../platform/api.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { aHookInput } from '../records/hook-input.ts'
import { aBatch } from '../records/queue-batch.ts'

/** A hook as its owner knows it. */
export interface OwnedHook {
  readonly id: string
  /** `whsec_` and base64. */
  readonly secret: string
}

/** Events go in, requests come out. */
export interface WireHarness {
  readonly ports: MemoryPorts
  readonly log: CapturedLog
  /** Makes a hook of a.example.com on a URL, whose receiver is late for ever: all attempts are queued. */
  hook(url: string, given?: Partial<HookInput>, method?: string): Promise<OwnedHook>
  /** Gives a hook a new secret and answers it. */
  rotate(hook: OwnedHook): Promise<string>
  /** Lets events come in; what they lead to waits in the queue. */
  dispatch(...events: PlatformEvent[]): Promise<void>
  /** Makes every attempt that is queued, in one batch. */
  attempt(): Promise<void>
  /** Both, one after the other; returns all deliveries. */
  deliver(...events: PlatformEvent[]): Promise<readonly Delivery[]>
  deliveries(): readonly Delivery[]
  /** Settles with the first delivery whose next attempt is recorded from now on. */
  nextRecord(): Promise<Delivery | undefined>
}

const message = (content: object): object => ({ version: 1, ...content })

/** A way with a clock and a hook client of the test's own. */
export function aWireHarness({ clock, hookClient }: { clock: Clock; hookClient: HookClient }): WireHarness {
  const context = { clock, random: systemRandomness, env: {} }
  const memory = memoryPorts(context)
  const recorded: ((delivery: Delivery | undefined) => void)[] = []
  const ports: MemoryPorts = {
    ...memory,
    hookClient: { ...memory.hookClient, send: (request) => hookClient.send(request) },
    deliveries: {
      ...memory.deliveries,
      async recordAttempt(delivery, outcome) {
        const answer = await memory.deliveries.recordAttempt(delivery, outcome)
        const { domain, hookId, id } = delivery
        const now = await memory.deliveries.read(domain, hookId, id)
        for (const tell of recorded.splice(0)) tell(now)
        return answer
      },
    },
  }
  const log = capturedLog()
  const tools = { ...context, log, settings: readSettings({ EVENTS_PER_SECOND: '100000' }) }
  const judges = { guard: addressGuard('127.0.0.0/8'), compile: linearPattern }
  const deliveries = () => [...ports.state.deliveries.values()]
  const dispatch = async (...events: PlatformEvent[]) => {
    const end = await hookDispatch.over(ports, tools)(aBatch(events.map(message)), aContext)
    expect(end).toEqual({ batchItemFailures: [] })
  }
  const attempt = async () => {
    const queued = ports.deliveryQueue.queued.splice(0)
    const end = await deliver.over(ports, tools)(aBatch(queued.map(message)), aContext)
    expect(end).toEqual({ batchItemFailures: [] })
  }
  return {
    ports,
    log,
    deliveries,
    dispatch,
    attempt,
    async hook(url, given = {}, method = 'POST') {
      const input = aHookInput({ action: { type: 'web', method, url }, ...given })
      const { secrets } = await createHooks({ ...ports, ...context, judges }, 'a.example.com', input)
      const [[id, secret] = ['', '']] = Object.entries(secrets)
      await memory.hooks.noteLate({ domain: 'a.example.com', id }, Number.MAX_SAFE_INTEGER)
      return { id, secret }
    },
    rotate: async ({ id }) => (await rotateSecret({ ...ports, ...context }, { domain: 'a.example.com', id })).secret,
    async deliver(...events) {
      await dispatch(...events)
      await attempt()
      return deliveries()
    },
    nextRecord: () => new Promise((tell) => recorded.push(tell)),
  }
}
