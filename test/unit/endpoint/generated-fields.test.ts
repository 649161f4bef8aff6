import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiAnswer } from '../../support/platform/api.ts'
import { fieldRules } from '../../support/platform/field-rules.ts'
import { type Taker, takers } from '../../support/platform/field-takers.ts'
import { aFieldHarness } from '../../support/platform/field-harness.ts'
import { fixed, isUnreadable } from '../../support/records/hostile-text.ts'
import { dumpOf, tracesOf } from '../../support/stores/memory-dump.ts'

const cases = Object.entries(takers).flatMap(([field, all]) =>
  all.map((taker) => [field, taker.operation, taker] as const),
)

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap(textsIn) : typeof value === 'string' ? [value] : []

/** A body that no parser takes is refused as such; all else by the name of its field. */
function expectRefusal(answer: ApiAnswer, { named }: Taker, value: unknown): void {
  expect(answer.status, answer.text).toBe(400)
  if (textsIn(value).some(isUnreadable)) return
  if (answer.body.code === 'invalid_json') expect(named, answer.text).toContain('[')
  else
    expect(
      named.some((field) => answer.text.includes(`"field":"${field}`)),
      answer.text,
    ).toBe(true)
}

it('every field has a rule, and every rule belongs to a field', () => {
  expect(Object.keys(takers).sort()).toEqual(Object.keys(fieldRules).sort())
})

describe.each(cases)('%s of %s', (field, _, taker) => {
  it('a generated field is stored and returned unchanged, or refused by its name with nothing written, as the contract says', async () => {
    const rule = fieldRules[field]
    if (rule === undefined) throw new Error(`no rule for ${field}`)
    const counts = { taken: 0, refused: 0 }

    await fc.assert(
      fc.asyncProperty(rule.values, async (value) => {
        const harness = await aFieldHarness()
        const before = dumpOf(harness.api)

        const answer = await taker.send(harness, value)

        if (rule.isTaken(value)) {
          counts.taken += 1
          expect(answer.status, answer.text).toBe(200)
          await taker.prove(harness, value)
        } else {
          counts.refused += 1
          expectRefusal(answer, taker, value)
          expect(dumpOf(harness.api)).toBe(before)
        }
        if (field === 'password' && textsIn(value).some((text) => text.length > 6)) {
          expect(tracesOf(harness.api)).not.toContain(JSON.stringify(value).slice(1, -1))
        }
      }),
      fixed(120),
    )

    expect(counts.refused).toBeGreaterThan(15)
    if (field !== 'options.host') expect(counts.taken).toBeGreaterThan(3)
  })
})
