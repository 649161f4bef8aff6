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

test('a lost engine may have calls of any domain if it was never connected, or its channels never listed', () => {
  const { held, lost } = anEngine()
  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])

  held.heard()
  lost()

  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])
})

test('a channel list from before the event link came up proves nothing, since calls may have begun since', () => {
  const { held, lost } = anEngine()

  held.wasRead([])
  held.heard()
  lost()

  expect(held.mayHold(ofA)).toBe(true)
})

test('a lost engine may have calls of the domains whose calls it had, and of no other', async () => {
  const { held, report, lost } = anEngine()
  held.heard()
  held.wasRead([])
  await report(randomUUID(), { 'Caller-Context': 'a.example.com' })

  lost()

  expect([held.mayHold(ofA), held.mayHold(ofB), held.mayHold(all), held.count]).toEqual([true, false, true, 1])
})

test("a lost engine may have only the caller's own calls for a caller that sees no others", async () => {
  const { held, report, lost } = anEngine()
  held.heard()
  held.wasRead([])
  await report(randomUUID(), ofCaller('1000@a.example.com'))

  lost()

  expect(held.mayHold({ ...ofA, presenceId: '1000@A.example.com' })).toBe(true)
  expect(held.mayHold({ ...ofA, presenceId: '1001@a.example.com' })).toBe(false)
})

test('a call of a lost engine whose domain or caller is unknown counts for every caller', async () => {
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

test('a call that was listed when the links came up counts until its end is reported', async () => {
  const { held, registry, report, listed, lost } = anEngine()
  const [goesOn, ends] = [randomUUID(), randomUUID()]
  held.heard()
  held.wasRead([listed(goesOn, 'a.example.com'), listed(ends, 'b.example.com')])
  await report(ends, { 'Caller-Context': 'b.example.com' })
  registry.end(ends, '')

  lost()

  expect([held.mayHold(ofA), held.mayHold(ofB), held.count]).toEqual([true, false, 1])
})

test('a call that was listed over a minute ago and of which no event came does not count when the engine is lost', async () => {
  const { held, listed, lost, time } = anEngine()
  held.heard()
  held.wasRead([listed(randomUUID(), 'a.example.com')])
  await time.advance(60_001)

  lost()

  expect([held.mayHold(ofA), held.count]).toEqual([false, 0])
})

test('an engine whose event link is lost first may have new calls of any domain', async () => {
  const { held, time } = anEngine()
  held.heard()
  held.wasRead([])
  held.eventsLost()
  await time.advance(5_001)

  held.commandsLost()

  expect([held.mayHold(ofA), held.count]).toEqual([true, undefined])
})

test("another connector's report of an engine without calls counts only if this connector was never connected to that engine", () => {
  const [unheard, heard] = [anEngine(), anEngine()]
  heard.held.heard()

  unheard.held.reportedEmpty()
  heard.held.reportedEmpty()

  expect([unheard.held.mayHold(all), heard.held.mayHold(all)]).toEqual([false, true])
})
