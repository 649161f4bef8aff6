import * as z from 'zod/mini'
import type { Account } from '../../../core/accounts/account.ts'
import { joinKey, keyPrefix } from '../key.ts'

const texts = z.record(z.string(), z.string())

/** A stored account. */
export const accountItem = z.object({
  domain: z.string(),
  login: z.string(),
  role: z.string(),
  passwordHash: z.string(),
  a1Hash: z.string(),
  numbers: z.array(z.string()),
  parameters: texts,
  variables: texts,
  createdAt: z.number(),
  credentialsId: z.string(),
  secondFactor: z.optional(z.object({ sealed: z.string(), isOn: z.boolean(), usedStep: z.number() })),
  version: z.number(),
})

/** A reservation of a number: whose it is. */
export const numberItem = z.object({ owner: z.string() })

/** The prefix of the sort keys of accounts, as opposed to reservations. */
export const accountPrefix = keyPrefix('login')

/** Returns the partition of a domain's accounts and reservations. */
export function accountPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the key of an account: logins are compared without regard to case. */
export function accountKey(domain: string, login: string) {
  return { pk: accountPartition(domain), sk: joinKey('login', login.toLowerCase()) }
}

/** Returns the key of the reservation of a number. */
export function numberKey(domain: string, number: string) {
  return { pk: accountPartition(domain), sk: joinKey('number', number) }
}

/** Returns an account as an item. */
export function toAccountItem(account: Account) {
  return { ...accountKey(account.domain, account.login), ...account }
}

/** Returns the owner that a reservation names. */
export function ownerOf(account: Account): string {
  return account.login.toLowerCase()
}
