import { expect, test } from 'vitest'
import { hasControls, replaceControls } from '../../../core/requests/safe-text.ts'

test('the control characters are U+0000 to U+001F and U+007F, and no others', () => {
  const all = Array.from({ length: 0x3_00 }, (_, code) => code)

  const found = all.filter((code) => hasControls(`a${String.fromCharCode(code)}b`))

  expect(found).toEqual([...all.slice(0, 0x20), 0x7f])
})

test('a run of control characters is replaced by one character', () => {
  expect(replaceControls('\0a\r\n\tb\u007fc\u0085', ' ')).toBe(' a b c\u0085')
})
