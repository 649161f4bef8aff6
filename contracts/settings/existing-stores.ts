import * as z from 'zod/mini'
import {
  type BucketName,
  type KeyName,
  type SearchDomainName,
  type SecretName,
  type TableName,
  buckets,
  keys,
  searchDomains,
  secrets,
  tables,
} from '../resources.ts'
import { type ContextValue, jsonOf, readBy } from './setting.ts'

/** The physical names of stores that a deployment takes up instead of creating them, by their declared names. */
export interface ExistingStores {
  readonly tables: Readonly<Partial<Record<TableName, string>>>
  readonly buckets: Readonly<Partial<Record<BucketName, string>>>
  /** Whole ARNs, with the six characters that the service adds to a name. */
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>
  /** ARNs. */
  readonly keys: Readonly<Partial<Record<KeyName, string>>>
  /** Addresses, beginning with `https://`. */
  readonly searchDomains: Readonly<Partial<Record<SearchDomainName, string>>>
}

type Kind = keyof ExistingStores

const kinds: Readonly<Record<Kind, readonly [declared: object, form: RegExp, words: string]>> = {
  tables: [tables, /^[\w.-]{3,255}$/, 'the name of a table'],
  buckets: [buckets, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'],
  secrets: [
    secrets,
    /^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/,
    'the whole ARN of a secret',
  ],
  keys: [keys, /^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a key'],
  searchDomains: [
    searchDomains,
    // A domain inside a VPC has `vpc-` instead; the functions, which are in no VPC, could not reach it.
    /^https:\/\/search-[a-z][a-z0-9-]{2,27}-[a-z0-9]{26}\.[a-z0-9-]+\.es\.amazonaws\.com$/,
    'the address of a domain, https://search-….es.amazonaws.com',
  ],
}

export const existingStores = {
  context: 'existingStores',
  rule: () => readBy(readExistingStores, 'a JSON object of tables, buckets, secrets, keys and searchDomains'),
  fallback: '{}',
  unset: 'none',
  meaning:
    'restored or retained stores that the deployment takes up instead of making them, by name: `{"tables": {"accounts": "accounts-restored"}}`',
} as const satisfies ContextValue

/** Reads the names. Throws a sentence that is read after the name of the setting. */
function readExistingStores(text: string): ExistingStores {
  const given = objectOf(jsonOf(text), 'must be a JSON object of tables, buckets, secrets, keys and searchDomains')
  if (Object.keys(given).some((kind) => !Object.hasOwn(kinds, kind))) {
    throw new Error(`must have no kinds but ${Object.keys(kinds).join(', ')}`)
  }
  const names = <K extends Kind>(kind: K): ExistingStores[K] => namesOf(kind, given[kind] ?? {})
  return {
    tables: names('tables'),
    buckets: names('buckets'),
    secrets: names('secrets'),
    keys: names('keys'),
    searchDomains: names('searchDomains'),
  }
}

function namesOf(kind: Kind, given: unknown): Record<string, string> {
  const [declared, form, words] = kinds[kind]
  const physical = z.string().check(z.regex(form))
  const names: Record<string, string> = {}
  for (const [name, value] of Object.entries(objectOf(given, `must have an object of names as ${kind}`))) {
    if (!Object.hasOwn(declared, name)) {
      throw new Error(`must have no ${kind} but ${Object.keys(declared).join(', ')}`)
    }
    const read = z.safeParse(physical, value)
    if (!read.success) throw new Error(`must have ${words} as ${kind}.${name}`)
    names[name] = read.data
  }
  if (new Set(Object.values(names)).size < Object.keys(names).length) {
    throw new Error(`must not have one of the ${kind} under two names`)
  }
  return names
}

function objectOf(value: unknown, complaint: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(complaint)
  return Object.fromEntries(Object.entries(value))
}
