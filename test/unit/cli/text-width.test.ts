import { expect, it } from 'vitest'
import { cut, widthOf } from '../../../cli/output/text-width.ts'

it.each([
  ['a letter', 'é', 1],
  ['a mark upon a letter', 'e\u0301', 1],
  ['an ideograph', '漢', 2],
  ['a rare ideograph', '\u{20000}\u{2a700}\u{30000}', 6],
  ['a picture', '📞', 2],
  ['an older character that is shown as a picture', '⌚⏰☕⚡✅⭐', 12],
  ['an arrow and a digit, which are no pictures', '→7©', 3],
  ['a word joiner and a mark of direction', '\u2060\u200e\u202a\u{e0041}', 0],
])('%s has the width of the terminal', (_what, text, columns) => {
  expect(widthOf(text)).toBe(columns)
})

it('a text is cut by the columns that it takes', () => {
  expect(cut('⚡⚡⚡⚡', 5)).toBe('⚡⚡…')
})
