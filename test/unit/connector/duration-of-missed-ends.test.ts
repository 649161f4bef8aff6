import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import type { EventUpdate } from '../../../core/cdr/cdr-update.ts'
import {
  type Pipeline,
  type PipelineHarness,
  harnessEngine,
  pipelineHarness,
  ofCall,
} from '../../support/connector/pipeline-harness.ts'
import { aKnownCall } from '../../support/records/records.ts'

const seconds = 1_000
const hours = 3_600 * seconds

/** A connector that has listened for a minute, and a call that began then. */
async function aCall() {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  await pipeline.up()
  await harness.time.advance(60 * seconds)
  const headers = ofCall(harness.time.clock.now(), { 'Channel-Call-State': 'ACTIVE' })
  await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, headers })
  return { harness, pipeline, uuid }
}

/** The engine gives its sign of life. */
async function beat(harness: PipelineHarness, pipeline: Pipeline) {
  await pipeline.emit({ name: 'HEARTBEAT', headers: { 'Event-Date-Timestamp': `${harness.time.clock.now()}000` } })
}

/**
 * The engine cannot be heard for so long, just after its sign of life, which comes every 20 s. `isUp` is the call that
 * it has after that.
 */
async function outage(harness: PipelineHarness, pipeline: Pipeline, ms: number, isUp?: string) {
  await beat(harness, pipeline)
  await pipeline.down()
  pipeline.rows = isUp === undefined ? [] : [{ uuid: isUp }]
  await harness.time.advance(ms)
  await pipeline.up()
}

/** The seconds of the CDR of a made-up end; `none` if it has no duration, absent if there is no such CDR. */
function durationOf({ ports }: PipelineHarness, uuid: string): number | 'none' | undefined {
  const end = ports.cdrQueue.queued
    .filter((update): update is EventUpdate => update.kind === 'event')
    .find((update) => update.uuid === uuid && update.fields['Synthetic'] === 'true')
  return end && (cdrFromEvent(end)?.cdr.duration ?? 'none')
}

test('the CDR of a call that ended during an outage of three hours has no duration, since the end time is unknown', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await harness.time.advance(10 * seconds)

  await outage(harness, pipeline, 3 * hours)
  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe('none')
})

test('the CDR of a call that ended during an outage of half a minute has a duration that is at most a minute too long', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await harness.time.advance(600 * seconds)

  await outage(harness, pipeline, 30 * seconds)
  await harness.time.advance(60 * seconds)

  // The end was noticed 4 s after the link was back.
  expect(durationOf(harness, uuid)).toBe(634)
})

test('the CDR of a call that ended with a restart of the engine has a duration only if the engine was away for less than a minute', async () => {
  const durations: unknown[] = []
  for (const ms of [20 * seconds, 3 * hours]) {
    const { harness, pipeline, uuid } = await aCall()
    await harness.time.advance(40 * seconds)
    await beat(harness, pipeline)
    await pipeline.down()
    await harness.time.advance(ms)
    await pipeline.up('5d1c7a52-0000-4000-8000-00000000c0de')
    await harness.time.advance(60 * seconds)
    durations.push(durationOf(harness, uuid))
  }

  expect(durations).toEqual([60, 'none'])
})

test('a call that was listed after an outage of hours has a duration if it ends in a short one later', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await outage(harness, pipeline, 3 * hours, uuid)
  await harness.time.advance(60 * seconds)

  await outage(harness, pipeline, 10 * seconds)
  await harness.time.advance(60 * seconds)

  // Three hours, the minute after, the second outage, and 4 s until the end was noticed.
  expect(durationOf(harness, uuid)).toBe(3 * 3_600 + 74)
})

test('a call that the list of the engine kept too long after an outage of hours has no duration', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await outage(harness, pipeline, 3 * hours, uuid)
  await harness.time.advance(10 * seconds)
  pipeline.rows = []

  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe('none')
})

test('a call that may have ended in the first of two outages has no duration, although the second was short', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await outage(harness, pipeline, 3 * hours)
  await harness.time.advance(500)

  await outage(harness, pipeline, 1 * seconds)
  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe('none')
})

test('an answer of the engine during an outage does not prove when a call ended', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await pipeline.down()
  await harness.time.advance(1 * hours)
  await pipeline.registry.learn(uuid, (name) => ({ 'Channel-Call-State': 'ACTIVE' })[name], harnessEngine)
  await harness.time.advance(1 * hours)

  await pipeline.up()
  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe('none')
})

test('a call of whose end only the destruction was reported has a duration, since it ended just before', async () => {
  const { harness, pipeline, uuid } = await aCall()
  await harness.time.advance(10 * seconds)
  await outage(harness, pipeline, 3 * hours, uuid)

  await pipeline.emit({ name: 'CHANNEL_DESTROY', uuid, headers: {} })
  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe(3 * 3_600 + 10)
})

test('a call that only a dead connector had recorded has no duration, since the end time is unknown', async () => {
  const harness = await pipelineHarness()
  const uuid = randomUUID()
  const createdAt = `${harness.time.clock.now()}000`
  await harness.ports.knownCalls.put(aKnownCall({ uuid, engine: harnessEngine, createdAt }))
  await harness.time.advance(3 * hours)
  const pipeline = await harness.connector()

  await pipeline.up()
  await harness.time.advance(60 * seconds)

  expect(durationOf(harness, uuid)).toBe('none')
})
