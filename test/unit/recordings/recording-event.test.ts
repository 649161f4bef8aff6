import { expect, test } from 'vitest'
import { recordingEvent } from '../../../core/recordings/recording-event.ts'
import { aRecording } from '../../support/records/records.ts'

const idOf = (given: Parameters<typeof aRecording>[0]) =>
  recordingEvent('recording_stored', { ...aRecording(given), state: 'stored', isHeld: false, version: 1 }, 9).id

test('the events of recordings of two domains differ where their engines took one id for two calls', () => {
  const [one, other] = ['a.example.com', 'b.example.com'].map((domain) => ({ domain, uuid: '12345678', id: 'same' }))

  expect(idOf(one ?? {})).not.toBe(idOf(other ?? {}))
})

test('the id of an event of a recording fits, however long its domain and call are, and keeps the id of the recording', () => {
  const [domain, uuid] = [`${'d'.repeat(240)}.example.com`, 'u'.repeat(128)]
  const ids = ['A'.repeat(22), 'B'.repeat(22)].map((id) => idOf({ domain, uuid, id }))

  expect(new Set(ids).size).toBe(2)
  expect(ids.map(({ length }) => length)).toEqual([128, 128])
})
