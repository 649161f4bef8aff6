import { expect, test } from 'vitest'
import { engineTime } from '../../../connector/runtime/engine.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'

test("an engine's time in microseconds becomes whole milliseconds, since the API reports gaps in whole numbers", () => {
  const event = anEngineEvent({ name: 'HEARTBEAT', headers: { 'Event-Date-Timestamp': '1795411111259432' } })

  expect(engineTime(event)).toBe(1_795_411_111_259)
})
