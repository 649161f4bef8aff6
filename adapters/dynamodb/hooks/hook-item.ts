import * as z from 'zod/mini'
import { removedHooks } from '../../../contracts/domain-partitions.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { joinKey } from '../key.ts'

const texts = z.record(z.string(), z.string())

/** A stored hook. */
export const hookItem = z.object({
  id: z.string(),
  domain: z.string(),
  event: z.string(),
  enable: z.boolean(),
  description: z.string(),
  action: z.object({ type: z.literal('web'), method: z.string(), url: z.string() }),
  fields: z.array(z.string()),
  map: texts,
  filter: z.record(
    z.string(),
    z.object({
      operation: z.enum(['==', '!=', '<', '>', '<=', '>=', 'reg']),
      value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    }),
  ),
  headers: texts,
  auth: z.object({
    enabled: z.boolean(),
    url: z.string(),
    method: z.string(),
    headers: texts,
    map: texts,
    cookie: z.boolean(),
  }),
  customBody: z.boolean(),
  rawBody: z.string(),
  rawSubstitution: z.optional(z.boolean()),
  retries: z.number(),
  delay: z.optional(z.number()),
  secrets: z.array(z.object({ id: z.optional(z.string()), sealed: z.string(), until: z.optional(z.number()) })),
  createdAt: z.number(),
  disabledReason: z.optional(z.string()),
  noticeDue: z.optional(z.boolean()),
  noticeTries: z.optional(z.number()),
  failures: z.optional(z.number()),
  failingSince: z.optional(z.number()),
  lastFailure: z.optional(z.string()),
  lateAt: z.optional(z.number()),
  version: z.number(),
})

/** The key of the version of all subscriptions. */
export const subscriptionsKey = { pk: joinKey('subscriptions'), sk: 'version' }

/** Returns the key of the number of a domain's hooks. */
export function hookCountKey(domain: string) {
  return { pk: joinKey('count', domain), sk: 'count' }
}

/** Returns the partition of a domain's hooks. */
export function hookPartition(domain: string): string {
  return joinKey('hooks', domain)
}

/** Returns the key of a hook. */
export function hookKey(domain: string, id: string) {
  return { pk: hookPartition(domain), sk: joinKey(id) }
}

/** Returns the key of the mark, next to the deliveries, that a hook existed. */
export function removedHookKey(domain: string, id: string) {
  return { pk: joinKey(...removedHooks(domain)), sk: joinKey(id) }
}

/** Returns a hook as an item. */
export function toHookItem(hook: Hook) {
  return { ...hookKey(hook.domain, hook.id), ...hook }
}
