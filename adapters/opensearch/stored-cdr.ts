import type { Cdr, CdrSource } from '../../core/cdr/cdr.ts'
import { anyValues } from '../../core/cdr/field-values.ts'
import type { KeptCdr } from '../../core/cdr/merge-cdr.ts'

/**
 * The indexed document of a leg: the contract's fields under their names and types; unchanged `variables`, in the
 * source alone; and three fields that no answer shows.
 */
export interface StoredCdr extends Cdr {
  /** Keyword: the values that a query without a field name is compared with. */
  readonly any: readonly string[]
  /** Keyword: each variable as {@link variablePair}, so that names never become fields of the index. */
  readonly pairs: readonly string[]
  /** In the source alone: what decides about the parts that are still to come. */
  readonly kept: MergeState
}

type MergeState = Omit<KeptCdr, 'cdr'>

/** Names of the stored fields that are not the contract's. */
export const innerFields = ['any', 'pairs', 'kept'] as const

/** Lucene takes 32 766 bytes as one term; a character of UTF-16 is three bytes of UTF-8 at most. */
const MAX_TERM_CHARACTERS = 8_000

/** Returns the term that represents a variable: name, `=`, value. A very long value is cut: queries are shorter. */
export function variablePair(name: string, value: string): string {
  return `${pairName(name)}=${value}`.slice(0, MAX_TERM_CHARACTERS)
}

/** Returns a variable's name as it appears before the `=`, which it must not contain. */
export function pairName(name: string): string {
  return /[%=]/.test(name) ? name.replaceAll('%', '%25').replaceAll('=', '%3D') : name
}

/** Returns the document of a leg. */
export function toStored({ cdr, ...kept }: KeptCdr): StoredCdr {
  return {
    ...cdr,
    any: anyValues(cdr),
    pairs: Object.entries(cdr.variables).map(([name, value]) => variablePair(name, value)),
    kept,
  }
}

/** Names of sources, from the weakest to the strongest. */
export const sourceNames = ['made', 'event', 'post'] as const satisfies readonly CdrSource[]
