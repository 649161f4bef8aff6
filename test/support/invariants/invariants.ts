/** The invariants after every fault, as checks over the counts of a test. */
import { expect } from 'vitest'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import type { LogLine } from '../processes/captured-log.ts'
import { holds } from './secret-forms.ts'

/** The outcome of one command. */
export interface CommandFact {
  readonly id: string
  /** How often the engine did it, by its own count. */
  readonly effects: number
  /** Its reported end; absent while that is open. */
  readonly outcome: CommandOutcome | undefined
}

/** An event that a consumer was to have. */
export interface EventFact {
  readonly id: string
  /** The ids under which it was published, once for each publication that counts. */
  readonly publishedAs: readonly string[]
}

/** A number and what it may be at most. */
export interface Bound {
  readonly of: string
  readonly value: number
  readonly limit: number
}

/** The observations of a test. Nothing is checked of those that it leaves out. */
export interface Evidence {
  /** I1: what was acknowledged, and whether the next read found it. */
  readonly acknowledged?: readonly { readonly what: string; readonly isFound: boolean }[]
  /** I2 and I3: every wanted event, and for how many of them a gap or a drop is recorded. */
  readonly events?: { readonly wanted: readonly EventFact[]; readonly recordedAsLost: number }
  /** I4. */
  readonly commands?: readonly CommandFact[]
  /** I5: what belongs to a tenant that the fault did not concern, before and after. */
  readonly others?: { readonly before: unknown; readonly after: unknown }
  /** I6: values that must not be seen, and everything that was written or answered. */
  readonly secrets?: { readonly values: readonly string[]; readonly seen: readonly (LogLine | object | string)[] }
  /** I7: sizes, waits and tries, each with its limit. */
  readonly bounds?: readonly Bound[]
  /** I7: counters that are parts of another. */
  readonly sums?: readonly { readonly of: string; readonly parts: readonly number[]; readonly whole: number }[]
  /** I8: how long after the fault's end all was as before. */
  readonly backAfterMs?: number
}

/**
 * Why a test can tell nothing of an invariant: its fault, at the part that it is brought about at, does not reach it.
 */
export interface NotHere {
  readonly notHere: string
}

/** Evidence of every invariant, or for each that is left out the reason in a sentence. */
export type WholeEvidence = {
  readonly [Part in Exclude<keyof Evidence, 'sums'>]-?: NonNullable<Evidence[Part]> | NotHere
} & Pick<Evidence, 'sums'>

/** After the end of a fault the system is back to normal within so long. */
const backWithinMs = 60_000

/** How often a command may have been done whose reported end is this. */
const effectsOf: Readonly<Record<CommandOutcome['state'], readonly number[]>> = {
  done: [1],
  refused: [0],
  absent: [0],
  unsent: [0],
  unknown: [0, 1],
}

/** The check of each part of the evidence; a failure names the invariant. */
const invariants: { readonly [Part in keyof Evidence]-?: (seen: NonNullable<Evidence[Part]>) => void } = {
  acknowledged: (seen) => {
    for (const { what, isFound } of seen) expect(isFound, `I1: ${what} is kept`).toBe(true)
  },
  events: ({ wanted, recordedAsLost }) => {
    const unpublished = wanted.filter(({ publishedAs }) => publishedAs.length === 0)
    const lost = 'I2: events that were not published are recorded as lost'
    expect(unpublished.length, lost).toBeLessThanOrEqual(recordedAsLost)
    const renamed = wanted.filter(({ id, publishedAs }) => publishedAs.some((other) => other !== id))
    expect(renamed, 'I3: all copies of an event carry one id').toEqual([])
  },
  // A command was done at most once, and reported as it was: an open one may have been done, too.
  commands: (seen) => {
    for (const { id, effects, outcome } of seen) {
      const reported = outcome?.state ?? 'unknown'
      expect(effects, `I4: command ${id} has at most one effect`).toBeLessThanOrEqual(1)
      expect(effectsOf[reported], `I4: command ${id} is truly ${reported}`).toContain(effects)
    }
  },
  others: ({ before, after }) => expect(after, 'I5: another tenant is as it was').toEqual(before),
  secrets: ({ values, seen }) => {
    const bytes = Buffer.from(JSON.stringify(seen))
    // Not named by its value: that would be one more place where it is seen.
    const shown = values.flatMap((value, index) => (holds(bytes, value) ? [index] : []))
    expect(shown, 'I6: the secrets that are seen, by their place').toEqual([])
  },
  bounds: (seen) => {
    for (const { of, value, limit } of seen) expect(value, `I7: ${of}`).toBeLessThanOrEqual(limit)
  },
  sums: (seen) => {
    for (const { of, parts, whole } of seen) {
      const sum = parts.reduce((all, part) => all + part, 0)
      expect(sum, `I7: the parts of ${of} add up`).toBe(whole)
    }
  },
  backAfterMs: (ms) => expect(ms, 'I8: back to normal').toBeLessThanOrEqual(backWithinMs),
}

/** Checks every invariant that there is evidence of; a failure names the invariant. At least one must be given. */
export function checkInvariants(evidence: Evidence): void {
  const given = Object.entries(evidence).filter(([, seen]) => seen !== undefined)
  expect(given).not.toHaveLength(0)
  for (const [part, seen] of given) (invariants[part as keyof Evidence] as (seen: unknown) => void)(seen)
}

const wholeTests = new Set<string | undefined>()

/**
 * Checks every invariant, as {@link checkInvariants}. Every test of a fault of the engine's links, of commands and of
 * the event queue ends with it, which `every-fault-is-judged.ts` sees to.
 */
export function checkAllInvariants(evidence: WholeEvidence): void {
  const observed = Object.entries(evidence).filter(([, each]) => !isNotHere(each))
  checkInvariants(Object.fromEntries(observed))
  wholeTests.add(expect.getState().currentTestName)
}

/** Whether a test, by its whole name, has ended with {@link checkAllInvariants}. */
export function wasWhollyChecked(test: string): boolean {
  return wholeTests.has(test)
}

function isNotHere(each: unknown): each is NotHere {
  return typeof each === 'object' && each !== null && 'notHere' in each
}
