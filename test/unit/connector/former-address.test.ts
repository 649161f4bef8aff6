import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ComparedEngine } from '../../../connector/recovery/reconciliation.ts'
import { type LabWorld, labDomain, labEngine, labWorld } from '../../support/connector/event-lab.ts'
import { report } from '../../support/connector/last-report.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { aKnownCall } from '../../support/records/records.ts'

const stored = async ({ ports }: LabWorld, engine = labEngine) =>
  (await ports.knownCalls.list(engine)).map(({ uuid }) => uuid)

describe('a leg of an engine that is known under another address', () => {
  const formerName = '198.51.100.9:8021'

  /** A leg that a connector knew at the former address, before it was killed. */
  async function aFormerLeg(world: LabWorld, core = aCoreUuid): Promise<string> {
    const uuid = randomUUID()
    const createdAt = `${world.time.clock.now() - 60_000}000`
    await world.ports.knownCalls.put(aKnownCall({ uuid, engine: formerName, core, domain: labDomain, createdAt }))
    await report(world, 'former', [formerName])
    await world.time.advance(40_000)
    return uuid
  }

  test('a leg that ended while no connector listened is ended once by the address that leads to its process now', async () => {
    const world = await labWorld()
    const uuid = await aFormerLeg(world)

    const successors = [await world.connector('second'), await world.connector('third')]
    for (const successor of successors) await successor.up()
    await world.time.advance(60_000)

    const made = world.published.filter((event) => event.uuid === uuid)
    expect(made.map(({ name }) => name)).toEqual(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
    expect(made[0]?.id).toBe(`${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`)
    expect(await stored(world, formerName)).toEqual([])
  })

  test('a leg that is still up goes on at the new address', async () => {
    const world = await labWorld()
    const uuid = await aFormerLeg(world)

    const successor = await world.connector('successor')
    successor.rows = [{ uuid }]
    await successor.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual([])
    expect(successor.registry.find(uuid)).toMatchObject({ engine: labEngine, core: aCoreUuid })
    expect([await stored(world, formerName), await stored(world)]).toEqual([[], [uuid]])
  })

  test('a leg of another process that the former address led to is left alone', async () => {
    const world = await labWorld()
    const uuid = await aFormerLeg(world, randomUUID())

    const successor = await world.connector('successor')
    await successor.up()
    await world.time.advance(60_000)

    expect([world.eventsOf(uuid), await stored(world, formerName)]).toEqual([[], [uuid]])
  })

  test('a leg is left to its address while the settings still name that address', async () => {
    const world = await labWorld()
    const uuid = await aFormerLeg(world)

    const engine = (name: string): ComparedEngine => ({ name, coreUuid: aCoreUuid, commands: fakeEslSession() })
    const successor = await world.connector('successor', { engines: [engine(labEngine), engine(formerName)] })
    await successor.up()
    await world.time.advance(60_000)

    expect([world.eventsOf(uuid), await stored(world, formerName)]).toEqual([[], [uuid]])
  })
})
