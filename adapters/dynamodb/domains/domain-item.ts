import * as z from 'zod/mini'
import type { DeletedDomain, Domain } from '../../../core/domains/domain.ts'
import type { Item } from '../client.ts'
import { parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const texts = z.record(z.string(), z.string())

const domainItem = z.object({
  name: z.string(),
  customerId: z.string(),
  variables: texts,
  parameters: texts,
  createdAt: z.number(),
  creationId: z.string(),
  accountCount: z.number(),
  version: z.number(),
})

const deletedItem = z.object({ name: z.string(), deletedAt: z.number(), parameters: texts })

const isDeleted = (item: Item) => 'deletedAt' in item

/** Returns the tenant in an item; none when its deletion has begun. */
export function fromDomainItem(item: Item | undefined): Domain | undefined {
  return item === undefined || isDeleted(item) ? undefined : parseItem(domainItem, item)
}

/** Returns the tenant in an item whose deletion has begun; none when it has not. */
export function fromDeletedItem(item: Item | undefined): DeletedDomain | undefined {
  const parsed = item === undefined || !isDeleted(item) ? undefined : parseItem(deletedItem, item)
  return parsed && { name: parsed.name, since: parsed.deletedAt, parameters: parsed.parameters }
}

/** Returns the key of a tenant. */
export function domainKey(name: string) {
  return { pk: joinKey(name), sk: 'domain' }
}

/** Returns a tenant as an item. */
export function toDomainItem(domain: Domain) {
  return { ...domainKey(domain.name), ...domain }
}
