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
