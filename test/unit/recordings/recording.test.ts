import { expect, test } from 'vitest'
import { recordingKey } from '../../../core/recordings/recording.ts'

test('the key of a recording contains its domain, its hour in UTC, its call and its id', () => {
  const key = recordingKey({ domain: 'a.example.com', uuid: 'u', id: 'i' }, Date.UTC(2026, 0, 2, 3, 59))

  expect(key).toBe('a.example.com/2026/01/02/03/u/i')
})
