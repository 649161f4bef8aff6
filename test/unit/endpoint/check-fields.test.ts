import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { checkFields } from '../../../functions/endpoint/steps/field-validation.ts'

it('a body with more wrong fields than a response has room for is refused with the first 20 of them', () => {
  const names = Array.from({ length: 30 }, (_, index) => `field${index}`)
  const schema = z.object(Object.fromEntries(names.map((name) => [name, z.number()])))
  const body = Object.fromEntries(names.map((name) => [name, 'text']))

  let details: unknown
  try {
    checkFields(schema, body)
  } catch (error) {
    details = Reflect.get(Object(error), 'details')
  }

  expect(details).toEqual(names.slice(0, 20).map((field) => ({ field, problem: expect.any(String) })))
})

/** The sentence that refuses a value. */
function refusal(schema: z.ZodMiniType, value: unknown): string | undefined {
  try {
    checkFields(schema, value)
    return undefined
  } catch (error) {
    return String(Reflect.get(Object(error), 'message'))
  }
}

const call = z.object({ callerId: z.string(), calledId: z.string() })

it('a required field that is absent names the unknown one that was probably meant', () => {
  expect(refusal(call, { callerId: '1001', caledId: '1002' })).toBe('calledId: must be given; "caledId" is unknown')
  expect(refusal(z.array(call), [{ callerId: '1001', caledId: '1002' }])).toContain('"caledId" is unknown')
  expect(refusal(z.object({ leg: z.nullable(call) }), { leg: { callerId: '1', caledId: '2' } })).toContain(
    '"caledId" is unknown',
  )
})

it('a given field that the schema has is never called unknown, however near its name is', () => {
  expect(refusal(call, { callerId: '1001' })).toBe('calledId: must be given')
  expect(refusal(z.array(call), [{ callerId: '1001' }])).toBe('[0].calledId: must be given')
  expect(refusal(z.object({ leg: z.optional(call) }), { leg: { callerId: '1001' } })).toBe(
    'leg.calledId: must be given',
  )
})

it('names are compared with the first 100 that are given, so that a large body costs no more', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`other${index}`, '']))

  expect(refusal(call, { ...many, callerId: '1001', caledId: '1002' })).toBe('calledId: must be given')
})
