import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ComparedEngine } from '../../../connector/recovery/reconciliation.ts'
import {
  type PipelineHarness,
  harnessDomain,
  harnessEngine,
  pipelineHarness,
} from '../../support/connector/pipeline-harness.ts'
import { report } from '../../support/connector/last-report.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { aKnownCall } from '../../support/records/records.ts'

const stored = async ({ ports }: PipelineHarness, engine = harnessEngine) =>
  (await ports.knownCalls.list(engine)).map(({ uuid }) => uuid)

describe('a leg of an engine that is known under another address', () => {
  const formerName = '198.51.100.9:8021'

  /** A leg that a connector knew at the former address, before it was killed. */
  async function aFormerLeg(harness: PipelineHarness, core = aCoreUuid): Promise<string> {
    const uuid = randomUUID()
    const createdAt = `${harness.time.clock.now() - 60_000}000`
    await harness.ports.knownCalls.put(aKnownCall({ uuid, engine: formerName, core, domain: harnessDomain, createdAt }))
    await report(harness, 'former', [formerName])
    await harness.time.advance(40_000)
    return uuid
  }

  test('a leg that ended while no connector listened is ended once by the address that leads to its process now', async () => {
    const harness = await pipelineHarness()
    const uuid = await aFormerLeg(harness)

    const successors = [await harness.connector('second'), await harness.connector('third')]
    for (const successor of successors) await successor.up()
    await harness.time.advance(60_000)

    const made = harness.published.filter((event) => event.uuid === uuid)
    expect(made.map(({ name }) => name)).toEqual(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
    expect(made[0]?.id).toBe(`${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`)
    expect(await stored(harness, formerName)).toEqual([])
  })

  test('a leg that is still up goes on at the new address', async () => {
    const harness = await pipelineHarness()
    const uuid = await aFormerLeg(harness)

    const successor = await harness.connector('successor')
    successor.rows = [{ uuid }]
    await successor.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual([])
    expect(successor.registry.find(uuid)).toMatchObject({ engine: harnessEngine, core: aCoreUuid })
    expect([await stored(harness, formerName), await stored(harness)]).toEqual([[], [uuid]])
  })

  test('a leg of another process that the former address led to is left alone', async () => {
    const harness = await pipelineHarness()
    const uuid = await aFormerLeg(harness, randomUUID())

    const successor = await harness.connector('successor')
    await successor.up()
    await harness.time.advance(60_000)

    expect([harness.eventsOf(uuid), await stored(harness, formerName)]).toEqual([[], [uuid]])
  })

  test('a leg is left to its address while the settings still name that address', async () => {
    const harness = await pipelineHarness()
    const uuid = await aFormerLeg(harness)

    const engine = (name: string): ComparedEngine => ({ name, coreUuid: aCoreUuid, commands: fakeEslSession() })
    const successor = await harness.connector('successor', { engines: [engine(harnessEngine), engine(formerName)] })
    await successor.up()
    await harness.time.advance(60_000)

    expect([harness.eventsOf(uuid), await stored(harness, formerName)]).toEqual([[], [uuid]])
  })
})
