import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { PresenceTracker } from '../../../connector/events/presence.ts'
import { unsureCalls } from '../../../connector/events/unsure-calls.ts'
import { labDomain, labWorld, ofCall } from '../../support/connector/event-lab.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aPresence } from '../../support/records/records.ts'

const account = { domain: 'a.example.com', login: '1000' }

/** An account that is stored with a call, and what an engine says of that from now on. */
async function aStoredCall(given: { readonly endFollows: boolean }) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.presence.put(aPresence({ ...account, contacts: [], calls: ['old'] }))
  const engine = { says: undefined as boolean | undefined, asked: 0 }
  const ended: string[] = []
  const isUp = async () => {
    engine.asked += 1
    return engine.says
  }
  const onEnded = async (_account: unknown, uuid: string) => {
    ended.push(uuid)
    return given.endFollows
  }
  const unsure = unsureCalls({
    ...time,
    isUp,
    onEnded,
    tracker: () => tracker,
    writer: () => ({ wake: () => {} }),
    random: () => 0,
  })
  const tracker = new PresenceTracker(ports.presence, time.clock, (of, uuid) => unsure.add(of, uuid))
  await tracker.load(account.domain)
  const calls = () => tracker.snapshot().get('1000@a.example.com')?.calls
  return { time, engine, ended, unsure, tracker, calls }
}

test('a stored call about which no engine can answer counts as up, and is checked again until one can', async () => {
  const { time, engine, ended, unsure, calls } = await aStoredCall({ endFollows: true })
  expect([calls(), unsure.waiting]).toEqual([['old'], 1])

  await time.advance(60_000)
  expect([ended, unsure.waiting]).toEqual([[], 1])
  expect(engine.asked).toBeLessThan(20)
  engine.says = false
  await time.advance(5_000)

  expect([ended, unsure.waiting, calls()]).toEqual([['old'], 0, ['old']])
})

test('an unsure call whose end no event will report is removed from its account at once', async () => {
  const { time, engine, tracker, calls } = await aStoredCall({ endFollows: false })

  engine.says = false
  await time.advance(250)

  expect(calls()).toEqual([])
  expect(tracker.takeChanged()).toMatchObject([{ ...account, calls: [] }])
})

test('an unsure call that is found to be up is not checked again', async () => {
  const { time, engine, ended, unsure, calls } = await aStoredCall({ endFollows: true })

  engine.says = true
  await time.advance(250)
  const { asked } = engine
  await time.advance(60_000)

  expect([ended, unsure.waiting, calls(), engine.asked]).toEqual([[], 0, ['old'], asked])
})

test("events of a domain do not wait for an engine that is slow to confirm whether the domain's stored calls are up", async () => {
  const world = await labWorld()
  await world.ports.presence.put(aPresence({ domain: labDomain, login: '1001', contacts: [], calls: ['old'] }))
  const asked: string[] = []
  const lab = await world.connector('connector-1', {
    isUp: (uuid) => {
      asked.push(uuid)
      return new Promise(() => {})
    },
  })
  await lab.up()
  const uuid = randomUUID()

  await lab.emit({ name: 'CHANNEL_CREATE', uuid, headers: ofCall(world.time.clock.now()) })

  expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
  expect(lab.side.waiting).toBe(0)
  await world.time.advance(250)
  expect(asked).toEqual(['old'])
})
