import type { Cdr, CdrPart, CdrRecording, CdrSource } from './cdr.ts'
import { variablePrefix } from './cdr-fields.ts'

/** What a store keeps of a leg: its CDR, and what decides about the parts that are still to come. */
export interface KeptCdr {
  readonly cdr: Cdr
  /** The strongest source so far. */
  readonly source: CdrSource
  /** Fields whose value is of a weaker source. Variables are `variables.<name>`. */
  readonly weaker: Readonly<Record<string, CdrSource>>
  /** The recordings were set: no part changes them any more. */
  readonly hasSetRecordings: boolean
}

const strength: Readonly<Record<CdrSource, number>> = { made: 0, event: 1, post: 2 }

/**
 * Merges a part into what is known of its leg, field by field and variable by variable: the stronger source wins, a
 * repeat changes nothing, and parts may come in any order. Uuid and domain are those of the part.
 */
export function mergeCdr(known: KeptCdr | undefined, { source, cdr }: CdrPart): KeptCdr {
  if (known === undefined) return { cdr, source, weaker: {}, hasSetRecordings: false }
  const strongest = strength[source] > strength[known.source] ? source : known.source
  const weaker = new Map<string, CdrSource>()
  const winner = <T>(field: string, old: T | undefined, told: T | undefined): T | undefined => {
    const oldSource = known.weaker[field] ?? known.source
    const isTold = told !== undefined && (old === undefined || strength[source] >= strength[oldSource])
    const from = isTold ? source : oldSource
    if ((isTold ? told : old) !== undefined && from !== strongest) weaker.set(field, from)
    return isTold ? told : old
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

type Winner = <T>(field: string, old: T | undefined, told: T | undefined) => T | undefined

function mergedFields({ cdr: old, hasSetRecordings }: KeptCdr, told: Cdr, winner: Winner): Cdr {
  const fields = Object.entries({ ...old, ...told })
  const merged = fields.map(([name]) => {
    if (name === 'variables') return [name, mergedVariables(old.variables, told.variables, winner)]
    if (name === 'recordings' && hasSetRecordings) return [name, old.recordings]
    return [name, winner(name, valueIn(old, name), valueIn(told, name))]
  })
  return { ...told, ...Object.fromEntries(merged) }
}

function valueIn(cdr: Cdr, name: string): unknown {
  return new Map<string, unknown>(Object.entries(cdr)).get(name)
}

function mergedVariables(old: Cdr['variables'], told: Cdr['variables'], winner: Winner): Cdr['variables'] {
  const names = Object.keys({ ...old, ...told })
  const of = (variables: Cdr['variables'], name: string) =>
    Object.hasOwn(variables, name) ? variables[name] : undefined
  return Object.fromEntries(
    names.map((name) => [name, winner(variablePrefix + name, of(old, name), of(told, name)) ?? '']),
  )
}
