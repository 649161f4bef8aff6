import { expect, test } from 'vitest'
import { engineTime } from '../../../connector/links/event-position.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'

test('the microseconds of an engine become whole milliseconds, since gaps that begin there are answered as whole numbers', () => {
  const event = anEngineEvent({ name: 'HEARTBEAT', headers: { 'Event-Date-Timestamp': '1795411111259432' } })

  expect(engineTime(event)).toBe(1_795_411_111_259)
})
