/** The samples of bad inputs, by the file of their class and their group. */
import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'

const classShape = z.record(z.string(), z.array(z.string()))

/** The groups of a class. Throws when one that is asked for is missing or empty. */
export function badInputs(file: string): (group: string) => readonly string[] {
  const url = new URL(`../../fixtures/bad-inputs/${file}.json`, import.meta.url)
  const groups = z.parse(classShape, JSON.parse(readFileSync(url, 'utf8')))
  return (group) => {
    const samples = groups[group] ?? []
    if (samples.length === 0) throw new Error(`no samples "${group}" in ${file}`)
    return samples
  }
}
