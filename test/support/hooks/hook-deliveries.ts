import { expect } from 'vitest'
import { deliveryId } from '../../../adapters/crypto/hook-digests.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as listDeliveries } from '../../../functions/hooks/list-deliveries.ts'
import { handler as replayDeliveries } from '../../../functions/hooks/replay-deliveries.ts'
import { handler as resendDelivery } from '../../../functions/hooks/resend-delivery.ts'
import { type Api, type ApiAnswer, aContext, anApi } from '../platform/api.ts'
import { aBatch } from '../records/queue-batch.ts'
import { aDelivery, aHook, anEvent } from '../records/records.ts'

/** A hook with deliveries, and the endpoints that list them and send them again. */
export interface HookDeliveries {
  readonly api: Api
  /** The credential of requests: that of an admin, until replaced. */
  headers: Record<string, string>
  /** When the test began, epoch milliseconds, until replaced. */
  now: number
  /** Stores a delivery of the event of a number, as its id is made. It has ended, unless said otherwise. */
  aStored(sequence: number, given?: Partial<Delivery>): Promise<Delivery>
  list(query?: string): Promise<ApiAnswer>
  resend(id: string, more?: object): Promise<ApiAnswer>
  replay(body: unknown, more?: object): Promise<ApiAnswer>
  stored(id: string): Promise<Delivery | undefined>
  /** Makes every attempt that is queued. */
  deliverQueued(): Promise<void>
}

/** The hook, and what names it in a path. */
export const domain = 'a.example.com'
export const hookId = 'c'.repeat(24)
export const params = { hook_id: hookId }

/** The numbers of the listed deliveries. */
export const sequences = ({ body }: ApiAnswer): number[] =>
  body.data.map(({ sequence }: { sequence: number }) => sequence)

/** Makes the hook, without any delivery. */
export async function hookDeliveries(): Promise<HookDeliveries> {
  const api = anApi()
  const sealed = await api.ports.secretBox.seal(new Uint8Array(32), secretPurpose(domain, hookId))
  const admin = await api.as(await api.account({ role: 'admin' }))
  await api.ports.hooks.create([aHook({ id: hookId, filter: {}, secrets: [{ sealed }] })], 9)
  const harness: HookDeliveries = {
    api,
    headers: { ...admin },
    now: api.clock.now(),
    aStored: async (sequence, given = {}) => {
      const event = anEvent({ domain: given.domain ?? domain })
      const id = deliveryId(event.id, hookId, sequence)
      const { nextAttemptAt, ...delivery } = aDelivery({
        id,
        hookId,
        event,
        sequence,
        createdAt: harness.now,
        ...given,
      })
      const stored: Delivery = { ...delivery, state: 'delivered', ...given }
      await api.ports.deliveries.keepEvent(event)
      await api.ports.deliveries.create(
        stored.state === 'pending' ? { ...stored, nextAttemptAt: nextAttemptAt ?? harness.now } : stored,
      )
      return stored
    },
    list: (query = '') => api.call(listDeliveries, { headers: harness.headers, params, query }),
    resend: (id, more = {}) =>
      api.call(resendDelivery, { headers: { ...harness.headers, ...more }, params: { ...params, delivery_id: id } }),
    replay: (body, more = {}) => api.call(replayDeliveries, { headers: { ...harness.headers, ...more }, params, body }),
    stored: (id) => api.ports.deliveries.read(domain, hookId, id),
    deliverQueued: async () => {
      const queued = api.ports.deliveryQueue.queued.splice(0)
      const message = (attempt: object): object => ({ version: 1, ...attempt })
      const result = await deliver.over(api.ports, api.tools)(aBatch(queued.map(message)), aContext)
      expect(result).toEqual({ batchItemFailures: [] })
    },
  }
  return harness
}
