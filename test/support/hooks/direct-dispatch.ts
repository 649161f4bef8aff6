/** Dispatch with direct attempts, over memory and a clock that tests control. */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { attemptDelivery } from '../../../core/hooks/attempt/attempt-delivery.ts'
import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import type { HookReply, HookRequest } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { dispatchDeps } from './dispatch-deps.ts'
import { manualTime } from '../processes/manual-time.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import { aHook, anEvent } from '../records/records.ts'

/** Dispatch over memory, with hooks whose receivers are not late unless it is said otherwise. */
export async function aDispatch(...given: Partial<Hook>[]) {
  const time = manualTime()
  const { clock, timers } = time
  const ports = memoryPorts({ clock, random: systemRandomness })
  const hooks: Hook[] = []
  for (const each of given) {
    const plain = aHook({ filter: {}, ...each })
    const sealed = await ports.secretBox.seal(new Uint8Array(32).fill(7), secretPurpose(plain.domain, plain.id))
    hooks.push({ ...plain, secrets: [{ sealed }] })
  }
  await ports.hooks.create(hooks, 1_000)
  const calls: string[] = []
  const deps = dispatchDeps(ports, clock, timers)
  const deliveries = {
    ...ports.deliveries,
    recordTogether: async (...attempts: Parameters<typeof ports.deliveries.recordTogether>) => {
      calls.push(`recordTogether ${attempts[0].length}`)
      return ports.deliveries.recordTogether(...attempts)
    },
  }
  return {
    clock,
    advance: (ms: number) => time.advance(ms),
    stall: (ms: number) => time.stall(ms),
    ports,
    hooks,
    calls,
    deps: { ...deps, deliveries },
    dispatch: (events = [anEvent()]) => dispatchEvents({ ...deps, deliveries }, events),
    deliveries: () => [...ports.state.deliveries.values()],
    stored: (index = 0) => ports.hooks.read(hooks[index]?.domain ?? '', hooks[index]?.id ?? ''),
    /** Makes the attempts that are queued. */
    work: async (hookClient: typeof deps.hookClient = ports.hookClient) => {
      for (const queued of ports.deliveryQueue.queued.splice(0)) {
        const tools = { ...ports, hookClient, clock }
        await attemptDelivery({ ...tools, random: systemRandomness, hmac: hmacSha256 }, queued)
      }
    },
  }
}

/** An answer of a receiver. */
export const answer = (status: number): HookReply => ({
  outcome: 'answered',
  status,
  headers: {},
  body: '',
  durationMs: 1,
})

/** A client that answers when it is let, or never. */
export function heldClient() {
  const held = new Map<string, (reply: HookReply) => void>()
  const sent: HookRequest[] = []
  return {
    held,
    sent,
    send: (request: HookRequest) => {
      sent.push(request)
      return new Promise<HookReply>((resolve) => void held.set(request.url, resolve))
    },
  }
}
