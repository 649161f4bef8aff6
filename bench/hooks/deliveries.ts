import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { type MemoryPorts, memoryPorts } from '../../test/support/memory/memory-ports.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { hookContent } from '../../core/hooks/definition/hook-content.ts'
import { newDelivery, queuedAttempt } from '../../core/hooks/delivery/delivery.ts'
import { secretPurpose } from '../../core/hooks/definition/signing.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'
import type { Hook } from '../../core/hooks/definition/hook.ts'
import { readSettings } from '../../functions/endpoint/cloud.ts'
import type { WorkerDeps } from '../../functions/worker.ts'
import { silentLog } from '../silent-log.ts'

/** The platform for deliveries: stores in memory, and the hook client of a deployment over real sockets. */
export interface DeliveryBench {
  readonly ports: MemoryPorts
  readonly tools: WorkerDeps
}

/** Parts with empty stores. */
export function deliveryBench(): DeliveryBench {
  const context = { clock: systemClock, random: systemRandomness, env: { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } }
  const ports = { ...memoryPorts(context), hookClient: guardedHookClient(context) }
  return {
    ports: ports as MemoryPorts,
    tools: { clock: systemClock, random: systemRandomness, log: silentLog, settings: readSettings({}) },
  }
}

/** Stores a hook of a domain on a URL. */
export async function benchHook({ ports }: DeliveryBench, url: string, domain: string): Promise<Hook> {
  const id = systemRandomness.uuid().replaceAll('-', '').slice(0, 24)
  const sealed = await ports.secretBox.seal(systemRandomness.bytes(32), secretPurpose(domain, id))
  const content = hookContent({ event: 'CHANNEL_CREATE', action: { type: 'web', method: 'POST', url } })
  const hook: Hook = { ...content, id, domain, secrets: [{ sealed }], createdAt: systemClock.now(), version: 1 }
  await ports.hooks.create([hook], 100)
  return hook
}

/** An event of a call with as many fields as those of the engine have: about 4 KB. */
export function benchEvent(number: number): PlatformEvent {
  const uuid = systemRandomness.uuid()
  const variables = Array.from({ length: 90 }, (_, at) => [`variable_field_${at}`, `value ${number} of field ${at}`])
  return {
    id: `bench:${number}`,
    name: 'CHANNEL_CREATE',
    domain: 'bench.example.com',
    uuid,
    occurredAt: systemClock.now(),
    fields: { 'Event-Name': 'CHANNEL_CREATE', 'Unique-ID': uuid, ...Object.fromEntries(variables) },
  }
}

/** Stores a delivery of an event to a hook and answers the message that asks for its first attempt. */
export async function benchDelivery(
  { ports }: DeliveryBench,
  { hook, event, sequence }: { hook: Hook; event: PlatformEvent; sequence: number },
): Promise<QueuedDelivery> {
  const at = systemClock.now()
  const id = `msg_${systemRandomness.uuid().replaceAll('-', '')}`
  const delivery = newDelivery(hook, event, { id, sequence, at })
  await ports.deliveries.create(delivery)
  return queuedAttempt(delivery, at)
}
