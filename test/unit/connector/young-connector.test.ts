import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { lastConnectedPeer } from '../../../connector/recovery/missed-since.ts'
import { pipelineHarness, ofCall } from '../../support/connector/pipeline-harness.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aReport } from '../../support/records/records.ts'

const engine = '192.0.2.1:8021'

/** The engine's last event of a call, and its later events for the same call. */
const destroyed = { name: 'CHANNEL_DESTROY', headers: {} }
const lastWord = { name: 'CHANNEL_STATE', headers: { 'Channel-State': 'CS_DESTROY', 'Channel-Call-State': 'HANGUP' } }

/** Returns the events that a connector publishes for a call whose very end it hears, with its link up for so long. */
async function endOfOldCall(upForMs: number, end = destroyed): Promise<string[]> {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  const headers = { ...ofCall(harness.time.clock.now() - 60_000), ...end.headers }
  await pipeline.up()
  await harness.time.advance(upForMs)

  await pipeline.emit({ name: end.name, uuid, headers })
  expect(pipeline.registry.find(uuid)).toBeUndefined()

  return harness.eventsOf(uuid)
}

test('a connector that started just before the last event of a call publishes both end events, the first as a synthetic one', async () => {
  expect(await endOfOldCall(10_000)).toEqual(['CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY'])
})

test('a connector that was connected for longer and missed nothing synthesizes no event', async () => {
  expect(await endOfOldCall(25_000)).toEqual(['CHANNEL_DESTROY'])
})

test("later events of a destroyed call do not make it appear again in a caller's list", async () => {
  expect(await endOfOldCall(10_000, lastWord)).toEqual([
    'CHANNEL_HANGUP_COMPLETE made',
    'CHANNEL_DESTROY made',
    'CHANNEL_STATE',
  ])
  expect(await endOfOldCall(25_000, lastWord)).toEqual(['CHANNEL_STATE'])
})

/**
 * Reports of others, in milliseconds from now: since when each listened, or `'down'`, when it last reported, and since
 * when it missed events, if it did.
 */
async function lastBefore(...others: readonly (readonly [number | 'down', number, number?])[]) {
  const { clock } = manualTime()
  const now = clock.now()
  const { connectorStatus: store } = memoryPorts({ clock, random: systemRandomness })
  for (const [index, [since, reported, lost]] of others.entries()) {
    const upSince = since === 'down' ? 0 : now + since
    const lostAt = lost === undefined ? {} : { lostAt: now + lost }
    const link = { engine, last: { coreUuid: aCoreUuid, sequence: '1' }, upSince, ...lostAt }
    await store.report(aReport({ connectorId: `other-${index}`, reportedAt: now + reported, eventLinks: [link] }))
  }
  const found = await lastConnectedPeer({ store, connectorId: 'own', now }, engine)
  return found?.until === undefined ? undefined : found.until - now
}

test("the time at which an engine was last connected is that of a gone connector's last report, unless another one is still connected", async () => {
  const dead = [-90_000, -20_000] as const

  expect(await lastBefore(dead, [-80_000, -30_000])).toBe(-20_000)
  expect(await lastBefore(dead, [-21_000, 0])).toBeUndefined()
  expect(await lastBefore([-90_000, 0])).toBeUndefined()
})

test('a connector that was started after all others had gone does not count as a listener', async () => {
  expect(await lastBefore([-90_000, -20_000], [-15_000, 0])).toBe(-20_000)
})

test('a connector whose link is down counts as connected until it lost the link, whether it is gone or not', async () => {
  expect(await lastBefore(['down', 0, -30_000])).toBe(-30_000)
  expect(await lastBefore(['down', -60_000, -80_000], [-90_000, -70_000])).toBe(-70_000)
  expect(await lastBefore(['down', -60_000])).toBeUndefined()
  expect(await lastBefore([-20_000, 0, -40_000])).toBeUndefined()
})
