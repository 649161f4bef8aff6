import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import { attemptDelivery } from '../../../core/hooks/attempt/attempt-delivery.ts'
import { type Delivery, queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'
import type { SecretBox } from '../../../core/secrets.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { aDelivery, aHook, anEvent } from '../records/records.ts'

/** An answer of a receiver. */
export const answered = (
  status: number,
  given: Partial<Extract<HookReply, { outcome: 'answered' }>> = {},
): HookReply => ({
  outcome: 'answered',
  status,
  headers: {},
  body: '',
  durationMs: 3,
  ...given,
})

/** A stored hook and a delivery to it that waits for its first attempt. */
export async function setUpAttempt(
  given: { hook?: Partial<Hook>; event?: Partial<PlatformEvent>; beforeSigning?: () => Promise<void> } = {},
) {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const plain = aHook({ ...given.hook })
  const sealed = await ports.secretBox.seal(new Uint8Array(32).fill(1), secretPurpose(plain.domain, plain.id))
  const hook: Hook = { ...plain, secrets: [{ sealed }] }
  await ports.hooks.create([hook], 100)
  const event = anEvent(given.event)
  const delivery = aDelivery({ hookId: hook.id, event, sequence: 41 })
  await ports.deliveries.keepEvent(event)
  await ports.deliveries.create(delivery)
  const timers = new Map<() => void, number>()
  const after = (afterMs: number, run: () => void) => {
    timers.set(run, afterMs)
    return () => void timers.delete(run)
  }
  const secretBox: SecretBox = {
    ...ports.secretBox,
    open: async (...of) => {
      await given.beforeSigning?.()
      return ports.secretBox.open(...of)
    },
  }
  const tools = {
    ...ports,
    secretBox,
    clock,
    random: systemRandomness,
    hmac: hmacSha256,
    timers: { after },
  }
  return {
    ports,
    clock,
    hook,
    delivery,
    event,
    /** Lets time pass while an attempt goes on: the timers of so much or less run. */
    pass: (ms: number) => {
      clock.move(ms)
      for (const [run, afterMs] of timers) if (afterMs <= ms && timers.delete(run)) run()
    },
    stored: () => ports.hooks.read(hook.domain, hook.id),
    attempt: (wanted: QueuedDelivery = queuedAttempt(delivery, clock.now())) => attemptDelivery(tools, wanted),
    outcome: async (): Promise<Pick<Delivery, 'state' | 'attempts'> | undefined> =>
      ports.deliveries.read(delivery.domain, delivery.hookId, delivery.id),
  }
}

export type AttemptSetup = Awaited<ReturnType<typeof setUpAttempt>>
