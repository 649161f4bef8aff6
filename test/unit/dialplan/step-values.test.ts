import { expect, it } from 'vitest'
import { wholeNumber } from '../../../core/dialplan/step-values.ts'

it('a whole number of a step may be the least and the most that is allowed, also as text', () => {
  expect([1, 60, '1', '60'].map((value) => wholeNumber(value, 1, 60))).toEqual([1, 60, 1, 60])
})

it.each([0, 61, '0', '61', 1.5, '1.5', '', ' 1', true, undefined])('%j is no whole number from 1 to 60', (value) => {
  expect(() => wholeNumber(value, 1, 60)).toThrow('must be a whole number from 1 to 60')
})
