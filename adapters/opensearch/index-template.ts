import { createHash } from 'node:crypto'
import { plainFields, recordingFields } from '../../core/cdr/cdr-fields.ts'
import { fieldKind } from './fields.ts'

type Definition = Readonly<Record<string, unknown>>

/** Longer texts are kept and shown but not found: Lucene takes 32 766 bytes as one term, a character up to 3. */
const keyword = { type: 'keyword', ignore_above: 8_000 } as const

/** Kept in the source, never looked at: names in there are those of tenants and must not become fields. */
const opaque = { type: 'object', enabled: false } as const

/** The mapping of a CDR's fields. A field that is not named here is in the source alone. */
export const cdrMappings = {
  dynamic: false,
  _routing: { required: true },
  properties: {
    ...Object.fromEntries(plainFields.map((field) => [field, definitionOf(field)])),
    recordings: {
      properties: Object.fromEntries(recordingFields.map((name) => [name, definitionOf(`recordings.${name}`)])),
    },
    any: keyword,
    pairs: keyword,
    variables: opaque,
    kept: opaque,
  },
} as const satisfies Definition

/**
 * Documents are routed by domain, so a search of one domain reads one shard, however many there are. A shard has a copy
 * as soon as there is a second node. New CDRs are found within 5 s.
 */
const cdrSettings = {
  index: {
    auto_expand_replicas: '0-1',
    codec: 'best_compression',
    refresh_interval: '5s',
    search: { slowlog: { threshold: { query: { warn: '5s' }, fetch: { warn: '2s' } } } },
    indexing: { slowlog: { threshold: { index: { warn: '2s' } }, source: false } },
  },
} as const satisfies Definition

/** Returns the templates of indices with this number of shards, by name. Each kind of leg has an alias of its own. */
export function cdrTemplates(shards: number) {
  return { 'cdr-a': templateOf('cdr-a', shards), 'cdr-b': templateOf('cdr-b', shards) } as const
}

/** The most that a deployment or a domain may ask for, from the contract. */
const longestDays = 3650

/**
 * The last resort: CDRs are removed one by one when their retention ends (core/cdr/retention), and their empty index
 * after them. An index goes as a whole, and its age counts from the first CDR of its month.
 */
const indexDays = longestDays + 31 + 1

/** The name of the policy that removes indices. */
export const retentionPolicyId = 'cdr-retention'

/** The policy that removes indices, for the store's Index State Management; new indices of CDRs come under it. */
export const retentionPolicy = withEdition({
  default_state: 'kept',
  states: [
    {
      name: 'kept',
      actions: [],
      transitions: [{ state_name: 'removed', conditions: { min_index_age: `${indexDays}d` } }],
    },
    { name: 'removed', actions: [{ delete: {} }], transitions: [] },
  ],
  ism_template: [{ index_patterns: ['cdr-a-*', 'cdr-b-*'], priority: 100 }],
})

function definitionOf(field: string): Definition {
  const kind = fieldKind(field)
  if (kind === 'keyword') return keyword
  return kind === 'date' ? { type: kind, format: 'epoch_millis' } : { type: kind }
}

function templateOf(alias: string, shards: number): Definition {
  const settings = { index: { number_of_shards: shards, ...cdrSettings.index } }
  return {
    index_patterns: [`${alias}-*`],
    priority: 100,
    template: { settings, mappings: cdrMappings, aliases: { [alias]: {} } },
  }
}

/** The store adds members to a policy; its description shows whether it is still the same. */
function withEdition<P extends Definition>(policy: P): P & { readonly description: string } {
  const edition = createHash('sha256').update(JSON.stringify(policy)).digest('hex').slice(0, 12)
  return { description: `CDRs are kept for ${longestDays} days at most (edition ${edition})`, ...policy }
}
