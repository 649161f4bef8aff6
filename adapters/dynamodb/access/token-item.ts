import * as z from 'zod/mini'
import type { Token } from '../../../core/access/token.ts'
import { keptUntil } from '../../retention.ts'
import type { Item } from '../client.ts'
import { expirySeconds, parseItem } from '../items.ts'
import { joinKey, keyPrefix } from '../key.ts'

/** A stored login's result. `endsAt` is the token's own end; `expiresAt` is the item's, a day later. */
const tokenItem = z.object({
  key: z.string(),
  username: z.string(),
  domain: z.string(),
  login: z.string(),
  digest: z.string(),
  credentialsId: z.string(),
  createdAt: z.number(),
  endsAt: z.number(),
  enabled: z.boolean(),
})

/**
 * Returns the partition of all tokens of a domain, so that they can be found when it is deleted; root's domain is
 * empty.
 */
export function tokenPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the prefix of the sort keys of a user's tokens. */
export function tokenPrefix(login: string): string {
  return keyPrefix('login', login.toLowerCase())
}

/** Returns the key of a token. */
export function tokenKey(domain: string, login: string, key: string) {
  return { pk: tokenPartition(domain), sk: joinKey('login', login.toLowerCase(), key) }
}

/** Returns a token as an item. */
export function toTokenItem(token: Token) {
  const { expiresAt: endsAt, ...rest } = token
  return {
    ...tokenKey(token.domain, token.login, token.key),
    ...rest,
    endsAt,
    expiresAt: expirySeconds(keptUntil.token(token)),
  }
}

/** Returns the token in an item. */
export function fromTokenItem(item: Item | undefined): Token | undefined {
  const parsed = parseItem(tokenItem, item)
  if (parsed === undefined) return undefined
  const { endsAt, ...rest } = parsed
  return { ...rest, expiresAt: endsAt }
}
