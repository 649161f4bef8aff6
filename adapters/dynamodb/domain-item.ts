import * as z from 'zod/mini'
import type { Domain } from '../../core/model.ts'
import { joinKey } from './key.ts'

const texts = z.record(z.string(), z.string())

/** A tenant as it is stored. */
export const domainItem = z.object({
  name: z.string(),
  customerId: z.string(),
  variables: texts,
  parameters: texts,
  createdAt: z.number(),
  accountCount: z.number(),
})

/** Where a tenant is stored. */
export function domainKey(name: string) {
  return { pk: joinKey(name), sk: 'domain' }
}

/** A tenant as an item. */
export function toDomainItem(domain: Domain) {
  return { ...domainKey(domain.name), ...domain }
}
