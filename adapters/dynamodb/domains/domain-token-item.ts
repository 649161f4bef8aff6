import * as z from 'zod/mini'
import type { DomainToken } from '../../../core/access/token.ts'
import type { Item } from '../client.ts'
import { parseItem } from '../items.ts'
import { joinKey, keyPrefix } from '../key.ts'
import { tokenPartition } from '../access/token-item.ts'

/** A stored domain token. It has no time to live: it is shown and counted until it is removed. */
const domainTokenItem = z.object({
  uuid: z.string(),
  domain: z.string(),
  digest: z.string(),
  role: z.string(),
  description: z.string(),
  createdBy: z.string(),
  createdAt: z.number(),
  endsAt: z.number(),
  enabled: z.boolean(),
})

/** The prefix of the sort keys of domain tokens, as opposed to logins. */
export const domainTokenPrefix = keyPrefix('domain')

/** Returns the key of a domain's token. */
export function domainTokenKey(domain: string, uuid: string) {
  return { pk: tokenPartition(domain), sk: joinKey('domain', uuid) }
}

/** Returns the key of the number of a domain's tokens. */
export function domainTokenCountKey(domain: string) {
  return { pk: tokenPartition(domain), sk: 'count' }
}

/** Returns a domain's token as an item. */
export function toDomainTokenItem({ expiresAt: endsAt, ...rest }: DomainToken) {
  return { ...domainTokenKey(rest.domain, rest.uuid), ...rest, endsAt }
}

/** Returns the domain's token in an item. */
export function fromDomainTokenItem(item: Item | undefined): DomainToken | undefined {
  const parsed = parseItem(domainTokenItem, item)
  if (parsed === undefined) return undefined
  const { endsAt, ...rest } = parsed
  return { ...rest, expiresAt: endsAt }
}
