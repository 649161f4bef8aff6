import { readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod/mini'

/** Figures by name; the unit is the end of the name: `…Ms`, `…Mb`, `…PerSecond`, `…Ratio`. */
export type Figures = Readonly<Record<string, number>>

const baselineFile = new URL('baseline.json', import.meta.url)
const baselineShape = z.record(z.string(), z.number())

function readBaseline(): Figures {
  try {
    return z.parse(baselineShape, JSON.parse(readFileSync(baselineFile, 'utf8')))
  } catch {
    return {}
  }
}

/** Replaces the committed figures of the names given and keeps the others. */
export function writeBaseline(figures: Figures): void {
  const merged = { ...readBaseline(), ...figures }
  const sorted = Object.fromEntries(Object.entries(merged).toSorted(([one], [other]) => one.localeCompare(other)))
  writeFileSync(baselineFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Prints figures next to the committed ones, with the ratio of the two, and the budget where there is one. */
export function printFigures(figures: Figures, budgets: Figures): void {
  const baseline = readBaseline()
  for (const [name, value] of Object.entries(figures)) {
    const before = baseline[name]
    const against = before === undefined ? 'no baseline' : `baseline ${round(before)}, ratio ${round(value / before)}`
    const budget = budgets[name]
    const verdict = budget === undefined ? '' : `, budget ${budget}: ${value <= budget ? 'kept' : 'MISSED'}`
    console.log(`  ${name.padEnd(32)} ${String(round(value)).padStart(9)}  ${against}${verdict}`)
  }
}

/** The value below which `share` (0 to 1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
