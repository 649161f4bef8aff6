import { DomainError } from '../../errors.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { Delivery } from './delivery.ts'

/** Returns whether a text can be the id of a delivery; any other is not looked up. */
export function isDeliveryId(text: string): boolean {
  return /^msg_[0-9a-f]{32}$/.test(text)
}

/** Returns a delivery to a hook. Throws `not_found`. */
export async function readDelivery(
  deliveries: Pick<DeliveryStore, 'read'>,
  { domain, hookId, id }: Pick<Delivery, 'domain' | 'hookId' | 'id'>,
): Promise<Delivery> {
  const delivery = isDeliveryId(id) ? await deliveries.read(domain, hookId, id) : undefined
  if (delivery === undefined) throw new DomainError('not_found', 'Delivery not found')
  return delivery
}
