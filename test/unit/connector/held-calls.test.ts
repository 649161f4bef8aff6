import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { heldCalls } from '../../../connector/calls/held-calls.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { ofCaller } from '../../support/engine/leg-fields.ts'

const engine = '192.0.2.1:8021'
const all = { domain: null, presenceId: null }
const ofA = { domain: 'a.example.com', presenceId: null }
const ofB = { domain: 'b.example.com', presenceId: null }

function anEngine() {
  const time = manualTime()
  const registry = new ChannelRegistry({ exists: (name) => name.endsWith('.example.com') })
  const held = heldCalls(registry, engine, time.clock)
  /** Reports a channel by an event. */
  const report = (uuid: string, fields: Readonly<Record<string, string>>) =>
    registry.learn(uuid, (name) => fields[name], engine)
  /** A row of the list of the engine. */
  const listed = (uuid: string, domain: string) => ({ domain, presenceId: `1000@${domain}`, row: { uuid } })
  const lost = () => {
    held.eventsLost()
    held.commandsLost()
  }
  return { time, registry, held, report, listed, lost }
}

test('an engine that was never heard, or never read, may hold anything', () => {
  const { held, lost } = anEngine()
  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])

  held.heard()
  lost()

  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])
})

test('a reading from before its event link came up does not count: calls may have begun since', () => {
  const { held, lost } = anEngine()

  held.wasRead([])
  held.heard()
  lost()

  expect(held.mayHold(ofA)).toBe(true)
})

test('it may hold calls of the domains whose calls it held, and of no other', async () => {
  const { held, report, lost } = anEngine()
  held.heard()
  held.wasRead([])
  await report(randomUUID(), { 'Caller-Context': 'a.example.com' })

  lost()

  expect([held.mayHold(ofA), held.mayHold(ofB), held.mayHold(all), held.count]).toEqual([true, false, true, 1])
})

test('only their own calls count for a caller that sees no others', async () => {
  const { held, report, lost } = anEngine()
  held.heard()
  held.wasRead([])
  await report(randomUUID(), ofCaller('1000@a.example.com'))

  lost()

  expect(held.mayHold({ ...ofA, presenceId: '1000@A.example.com' })).toBe(true)
  expect(held.mayHold({ ...ofA, presenceId: '1001@a.example.com' })).toBe(false)
})

test('a call of which domain or caller are not known counts for everybody', async () => {
  const { held, report, lost } = anEngine()
  held.heard()
  held.wasRead([])
  await report(randomUUID(), { 'Caller-Context': 'public' })

  lost()

  expect([held.mayHold(ofA), held.mayHold({ ...ofB, presenceId: '1000@b.example.com' })]).toEqual([true, true])
})

test('a call that was placed at an engine counts before the engine has reported it', () => {
  const { held, registry, lost } = anEngine()
  held.heard()
  held.wasRead([])
  registry.place(randomUUID(), 'a.example.com', '1000@a.example.com', engine)

  lost()

  expect([held.mayHold(ofA), held.mayHold(ofB)]).toEqual([true, false])
})

test('a call that the engine listed when its links came up counts until it has ended', async () => {
  const { held, registry, report, listed, lost } = anEngine()
  const [goesOn, ends] = [randomUUID(), randomUUID()]
  held.heard()
  held.wasRead([listed(goesOn, 'a.example.com'), listed(ends, 'b.example.com')])
  await report(ends, { 'Caller-Context': 'b.example.com' })
  registry.end(ends, '')

  lost()

  expect([held.mayHold(ofA), held.mayHold(ofB), held.count]).toEqual([true, false, 1])
})

test('an old list is no proof of calls: by then the registry knows them', async () => {
  const { held, listed, lost, time } = anEngine()
  held.heard()
  held.wasRead([listed(randomUUID(), 'a.example.com')])
  await time.advance(60_001)

  lost()

  expect([held.mayHold(ofA), held.count]).toEqual([false, 0])
})

test('when its command link outlives its event link, calls may have begun unheard', async () => {
  const { held, time } = anEngine()
  held.heard()
  held.wasRead([])
  held.eventsLost()
  await time.advance(5_001)

  held.commandsLost()

  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])
})

test('the word of another connector counts only where nothing was heard by this one', () => {
  const [unheard, heard] = [anEngine(), anEngine()]
  heard.held.heard()

  unheard.held.reportedEmpty()
  heard.held.reportedEmpty()

  expect([unheard.held.mayHold(all), heard.held.mayHold(all)]).toEqual([false, true])
})
