import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { channelEventId, platformEvent } from '../../../connector/events/platform-event.ts'
import { eventMessage } from '../../../contracts/messages/event.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'

const core = randomUUID()

test('an event names the number before the parameters of the dialled text', () => {
  const event = anEngineEvent({ headers: { 'Caller-Destination-Number': '1002;user=phone' } })

  const { fields } = platformEvent(event, 'id', 'a.example.com', { channel: undefined, now: 0 })

  expect(fields['Caller-Destination-Number']).toBe('1002')
})

test('the id of an event that a call has once is made of the engine process, the call and the name of the event', () => {
  const uuid = randomUUID()

  expect(channelEventId(core, uuid, 'CHANNEL_CREATE')).toBe(`${core}:${uuid}:CHANNEL_CREATE`)
})

test.each(['', 'x'.repeat(128), 'a b', 'a:CHANNEL_CREATE', 'Zoë\n'])(
  'a uuid of another form (%j) makes an id of its own that the queue takes',
  (uuid) => {
    const id = channelEventId('c'.repeat(64), uuid, 'CHANNEL_HANGUP_COMPLETE')

    expect(eventMessage.shape.id.safeParse(id).success).toBe(true)
    expect(id).toMatch(/^[A-Za-z0-9:_-]+$/)
    expect(id).not.toBe(channelEventId('c'.repeat(64), `${uuid}-`, 'CHANNEL_HANGUP_COMPLETE'))
  },
)
