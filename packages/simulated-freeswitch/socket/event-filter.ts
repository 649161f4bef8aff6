import { type EngineEvent, headerOf } from '../events/engine-event.ts'

interface Condition {
  readonly header: string
  readonly value: string
}

/**
 * The `filter` conditions of one connection: one that fits lets an event through, one with a leading `-` that fits
 * keeps it back, `/…/` is a regular expression (`subscribe/filter`). Without conditions everything passes.
 */
export class EventFilter {
  #conditions: Condition[] = []

  add(header: string, value: string): void {
    this.#conditions.push({ header, value })
  }

  /** Removes the conditions on a header, or only those with this value; `all` as header removes every one. */
  remove(header: string, value: string): void {
    if (header.toLowerCase() === 'all') this.#conditions = []
    this.#conditions = this.#conditions.filter(
      (condition) =>
        condition.header.toLowerCase() !== header.toLowerCase() || (value !== '' && condition.value !== value),
    )
  }

  passes(event: EngineEvent): boolean {
    if (this.#conditions.length === 0) return true
    let passed = false
    for (const { header, value } of this.#conditions) {
      const [, signs = '', wanted = ''] = /^([+-]*)(.*)$/s.exec(value) ?? []
      const positive = !signs.endsWith('-')
      const actual = headerOf(event, header)
      if (actual === undefined || (passed && positive) || !fits(actual, wanted)) continue
      if (!positive) return false
      passed = true
    }
    return passed
  }
}

function fits(actual: string, wanted: string): boolean {
  const pattern = /^\/(.*)\/$/s.exec(wanted)?.[1]
  if (pattern === undefined) return actual.toLowerCase() === wanted.toLowerCase()
  try {
    return new RegExp(pattern).test(actual)
  } catch {
    return false
  }
}
