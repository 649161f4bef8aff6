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
