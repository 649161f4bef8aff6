import * as z from 'zod/mini'
import type { DomainToken } from '../../core/auth/token.ts'
import type { Item } from './client.ts'
import { parseItem } from './items.ts'
import { joinKey, keyPrefix } from './key.ts'
import { tokenPartition } from './token-item.ts'

/** A domain's token as it is stored. It has no time to live: it is shown and counted until somebody removes it. */
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

/** What the sort keys of domains' tokens start with, as against those of logins. */
export const domainTokenPrefix = keyPrefix('domain')

/** Where a domain's token is stored. */
export function domainTokenKey(domain: string, uuid: string) {
  return { pk: tokenPartition(domain), sk: joinKey('domain', uuid) }
}

/** Where the number of a domain's tokens is stored. */
export function domainTokenCountKey(domain: string) {
  return { pk: tokenPartition(domain), sk: 'count' }
}

/** A domain's token as an item. */
export function toDomainTokenItem({ expiresAt: endsAt, ...rest }: DomainToken) {
  return { ...domainTokenKey(rest.domain, rest.uuid), ...rest, endsAt }
}

/** The domain's token in an item. */
export function fromDomainTokenItem(item: Item | undefined): DomainToken | undefined {
  const parsed = parseItem(domainTokenItem, item)
  if (parsed === undefined) return undefined
  const { endsAt, ...rest } = parsed
  return { ...rest, expiresAt: endsAt }
}
