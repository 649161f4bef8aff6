import { expect, test } from 'vitest'
import { blankChannel } from '../../../connector/calls/channel.ts'
import { SyntheticEvent } from '../../../connector/calls/synthetic-event.ts'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import { keptFields } from '../../../core/cdr/kept-fields.ts'

const endedAt = 1_795_217_731_200

/**
 * The CDR of an end that was missed, of a channel that was created then by the word of the engine, and of which
 * everything was heard up to `unsureSince`.
 */
function cdrOfMissedEnd(createdAt: string, unsureSince: number | undefined = endedAt - 60_000) {
  const uuid = 'c0ffee00-0000-4000-8000-000000000001'
  const channel = { ...blankChannel(uuid), domain: 'a.example.com', createdAt, unsureSince }
  const event = new SyntheticEvent('CHANNEL_HANGUP_COMPLETE', channel, endedAt)
  const leg = { domain: channel.domain, uuid: channel.uuid, occurredAt: endedAt, fields: keptFields(event.headers()) }
  return cdrFromEvent(leg)?.cdr
}

test('the CDR of a synthetic end has the seconds from the creation of its call to when the end was noticed', () => {
  expect(cdrOfMissedEnd('1795217670612708')).toMatchObject({ created_time: 1_795_217_670_612, duration: 61 })
})

test('the CDR of a synthetic end has no duration if the call may have ended more than a minute earlier', () => {
  expect(cdrOfMissedEnd('1795217670612708', endedAt - 60_001)).not.toHaveProperty('duration')
  expect(cdrOfMissedEnd('1795217670612708', 0)).not.toHaveProperty('duration')
})

test.each([
  ['is not known', ''],
  ['lies after the end', '1795217799000000'],
  ['is no time', '-1'],
])('the CDR of a missed end has no duration when the creation of its call %s', (_what, createdAt) => {
  expect(cdrOfMissedEnd(createdAt)).not.toHaveProperty('duration')
})

test('a synthetic event of a channel that is up has no duration', () => {
  const channel = { ...blankChannel('c0ffee00-0000-4000-8000-000000000001'), createdAt: '1795217670612708' }

  expect(new SyntheticEvent('CHANNEL_ANSWER', channel, endedAt).header('variable_duration')).toBeUndefined()
})
