import type { Cdr, CdrPart, CdrRecording, CdrSource } from './cdr.ts'
import { variablePrefix } from './cdr-fields.ts'

/** A stored leg: its CDR, and the facts that decide about later parts. */
export interface KeptCdr {
  readonly cdr: Cdr
  readonly source: CdrSource
  /** Fields whose value comes from a weaker source. Variables are `variables.<name>`. */
  readonly weaker: Readonly<Record<string, CdrSource>>
  /** The recordings were set: no later part changes them. */
  readonly hasSetRecordings: boolean
}

const strength: Readonly<Record<CdrSource, number>> = { made: 0, event: 1, post: 2 }

/**
 * Merges a part into the stored record of its leg, field by field and variable by variable: the stronger source wins, a
 * repetition changes nothing, and parts may come in any order. Uuid and domain are those of the part.
 */
export function mergeCdr(known: KeptCdr | undefined, { source, cdr }: CdrPart): KeptCdr {
  if (known === undefined) return { cdr, source, weaker: {}, hasSetRecordings: false }
  const strongest = strength[source] > strength[known.source] ? source : known.source
  const weaker = new Map<string, CdrSource>()
  const winner = <T>(field: string, old: T | undefined, incoming: T | undefined): T | undefined => {
    const oldSource = known.weaker[field] ?? known.source
    const isNewer = incoming !== undefined && (old === undefined || strength[source] >= strength[oldSource])
    const from = isNewer ? source : oldSource
    if ((isNewer ? incoming : old) !== undefined && from !== strongest) weaker.set(field, from)
    return isNewer ? incoming : old
  }
  const merged = mergedFields(known, cdr, winner)
  return {
    cdr: merged,
    source: strongest,
    weaker: Object.fromEntries(weaker),
    hasSetRecordings: known.hasSetRecordings,
  }
}

/** Replaces the recordings of a leg. */
export function withRecordings(known: KeptCdr, recordings: readonly CdrRecording[]): KeptCdr {
  const { recordings: _source, ...weaker } = known.weaker
  return { ...known, weaker, cdr: { ...known.cdr, recordings }, hasSetRecordings: true }
}

type Winner = <T>(field: string, old: T | undefined, incoming: T | undefined) => T | undefined

function mergedFields({ cdr: old, hasSetRecordings }: KeptCdr, incoming: Cdr, winner: Winner): Cdr {
  const fields = Object.entries({ ...old, ...incoming })
  const merged = fields.map(([name]) => {
    if (name === 'variables') return [name, mergedVariables(old.variables, incoming.variables, winner)]
    // Of two times of creation the one counts that the connector corrected.
    if (name === 'created_time' && isCorrected(old) !== isCorrected(incoming)) {
      return [name, (isCorrected(old) ? old : incoming).created_time]
    }
    if (name === 'recordings' && hasSetRecordings) return [name, old.recordings]
    return [name, winner(name, valueIn(old, name), valueIn(incoming, name))]
  })
  return { ...incoming, ...Object.fromEntries(merged) }
}

function isCorrected({ variables }: Cdr): boolean {
  return variables['engine_time'] !== undefined
}

function valueIn(cdr: Cdr, name: string): unknown {
  return new Map<string, unknown>(Object.entries(cdr)).get(name)
}

function mergedVariables(old: Cdr['variables'], incoming: Cdr['variables'], winner: Winner): Cdr['variables'] {
  const names = Object.keys({ ...old, ...incoming })
  const of = (variables: Cdr['variables'], name: string) =>
    Object.hasOwn(variables, name) ? variables[name] : undefined
  return Object.fromEntries(
    names.map((name) => [name, winner(variablePrefix + name, of(old, name), of(incoming, name)) ?? '']),
  )
}
