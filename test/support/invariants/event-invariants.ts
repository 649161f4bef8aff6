import { callsOf } from '../connector/calls-of.ts'
import { expect } from 'vitest'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { type EventScenario, scenarioSecrets, otherDomain, withoutFillers } from '../connector/event-scenario.ts'
import { type Bound, checkAllInvariants } from './invariants.ts'
import type { ScenarioProcess } from '../connector/scenario-process.ts'

const mebi = 1024 * 1024

/** The bytes that may wait in memory, by docs/design/spool.md: window and tail of the buffer together. */
const memoryLimit = 64 * mebi

/** The commands that a connector sends to an engine by itself; they change nothing there. */
const question = /^(?:show (?:channels|registrations) as json|uuid_exists [\w-]{36}|sofia status profile [\w.-]+ reg)$/

/** Lines that tell of one trouble each, however long it lasts, and how many of them one process may write. */
const linesOfTrouble = [
  { of: 'lines on the queue', text: 'the event queue cannot be reached', limit: 2 },
  { of: 'lines on the disk', text: 'the spool cannot be written', limit: 1 },
  { of: 'lines on dropped events', text: 'events are dropped', limit: 1 },
]

/** Facts that only the test knows. */
export interface ScenarioEnd {
  /** The result of {@link EventScenario.over}. */
  readonly backAfterMs: number
  /** How long the fault lasted. */
  readonly faultMs: number
  /** The disk's room by the settings; what an {@link EventScenario} has by itself where absent. */
  readonly spoolBytes?: number
  readonly bounds?: readonly Bound[]
}

/** Ends a fault test of the event side: every invariant is checked, by what the harness of it has seen. */
export async function checkEventScenario(scenario: EventScenario, end: ScenarioEnd): Promise<void> {
  const { harness, twin, queue, processes, log, peaks } = scenario
  // Dropped events are recorded ten seconds after the first of them.
  await harness.time.advance(12_000)
  const ids = new Set(harness.published.map(({ id }) => id))
  // The next process may publish ends of dropped calls, which it has made itself.
  const published = harness.published.filter(({ fields }) => fields['Synthetic'] !== 'true')
  const heard = new Set(published.map(({ id }) => id))
  expect(twin.published.length, 'the other tenant has events').toBeGreaterThan(0)
  expect(notWanted(scenario), 'I2: no event is published that the engine did not send').toEqual([])
  expect(outOfOrder(harness.published), 'calls whose events are not in order').toEqual([])
  const dropped = processes.reduce((sum, { counter }) => sum + counter('eventsDropped'), 0)
  const areEndsDropped = processes.some(({ counter }) => counter('eventsDroppedTerminal') > 0)
  const recordedAsLost = await recordedDrops(scenario)
  expect(recordedAsLost, 'I2: exactly the events that were dropped are recorded').toBe(dropped)
  const unheard = scenario.wanted.filter(({ id }) => !heard.has(id))
  // Nothing is derived from an event of the engine that was dropped.
  const derived = unheard.filter(({ sequence }) => sequence === undefined).length
  expect(unheard.length, 'I2: no event is missing but for those that were dropped').toBeLessThanOrEqual(
    dropped + derived,
  )
  expect(dropped, 'I2: what was dropped is missing').toBeLessThanOrEqual(unheard.length)
  expect(derived > 0 ? dropped : 1, 'I2: what is derived is missing with its cause').toBeGreaterThan(0)
  checkAllInvariants({
    acknowledged: await acknowledged(scenario, ids),
    events: { wanted: wantedFacts(scenario), recordedAsLost: recordedAsLost + derived },
    commands: written(processes).map((line) => ({
      id: line,
      effects: 1,
      outcome: { state: 'unsent', reason: 'busy' },
    })),
    others: {
      // Ends of calls are the last to be given up: unless even such were, there must be all of them.
      before: ofOther(twin.published).filter(({ id, name }) => heard.has(id) || (isEnd(name) && !areEndsDropped)),
      after: ofOther(published),
    },
    secrets: {
      values: Object.values(scenarioSecrets),
      seen: [
        ...log.lines,
        ...processes.map(({ pipeline }) => pipeline.side.counters()),
        withoutFillers(JSON.stringify(harness.published)),
        scenario.written(),
      ],
    },
    bounds: [
      { of: 'orders written to the engine', value: written(processes).length, limit: 0 },
      { of: 'bytes in memory', value: peaks.memoryBytes, limit: memoryLimit },
      { of: 'bytes on disk', value: peaks.diskBytes, limit: end.spoolBytes ?? 64 * mebi },
      { of: 'bytes on disk in the end', value: scenario.disk.used(), limit: 0 },
      { of: 'gaps that wait', value: peaks.gapsWaiting, limit: 1_000 },
      { of: 'calls to the queue at once', value: queue.mostAtOnce, limit: 12 },
      { of: 'times that one event was sent', value: mostSent(scenario), limit: triesIn(end.faultMs) },
      ...linesOfTrouble.map(({ of, text, limit }) => ({
        of,
        value: log.lines.filter(({ message }) => message.includes(text) && !message.startsWith('over: ')).length,
        limit: limit * processes.length,
      })),
      ...(end.bounds ?? []),
    ],
    sums: sums(scenario),
    backAfterMs: end.backAfterMs,
  })
}

/** How often something may be tried in a time, by waits that grow from 250 ms to 5 s, and once more after it. */
export function triesIn(faultMs: number): number {
  return 7 + Math.ceil(faultMs / 5_000)
}

/** An answer, and whether the next read finds its effect. */
async function acknowledged({ harness: { ports }, queue, storedGaps }: EventScenario, ids: ReadonlySet<string>) {
  const gaps = new Set((await ports.gaps.list(0)).map(({ id }) => id))
  const accounts = ['a.example.com', otherDomain].map(async (domain) => {
    const calls = await callsOf(ports, domain, '1000')
    return { what: `that 1000@${domain} has no call`, isFound: calls.length === 0 }
  })
  return [
    { what: 'the hook', isFound: (await ports.hooks.read('a.example.com', 'made-meanwhile')) !== undefined },
    ...(await Promise.all(accounts)),
    ...[...queue.acknowledged].map((id) => ({ what: `event ${id}`, isFound: ids.has(id) })),
    ...storedGaps.map((id) => ({ what: `gap ${id}`, isFound: gaps.has(id) })),
  ]
}

/** Each wanted event with the ids of all copies of it that were sent, if it was published. */
function wantedFacts({ harness, queue, wanted }: EventScenario) {
  const ids = new Map<string, Set<string>>()
  const note = ({ id, fields }: PlatformEvent) => {
    for (const name of [id, fields['Event-Sequence'] ?? id]) ids.set(name, (ids.get(name) ?? new Set()).add(id))
  }
  for (const { events } of queue.calls) events.forEach(note)
  const published = new Set(harness.published.flatMap(({ id, fields }) => [id, fields['Event-Sequence'] ?? id]))
  return wanted.map(({ id, sequence = id }) => ({
    id,
    publishedAs: published.has(sequence) ? [...(ids.get(sequence) ?? [])] : [],
  }))
}

function notWanted({ harness, wanted }: EventScenario): string[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return harness.published.filter((event) => !isOfEngine(event) && !ids.has(event.id)).map(({ id }) => id)
}

/** Whether this is the report of a process to every domain that it has found its engine. */
function isOfEngine({ name }: PlatformEvent): boolean {
  return name === 'CUSTOM->svc::engine_connected'
}

/** The calls of which an event was published after one that the engine had sent later. */
function outOfOrder(published: readonly PlatformEvent[]): string[] {
  const newest = new Map<string, number>()
  return published.flatMap(({ uuid, fields }) => {
    const number = Number(fields['Event-Sequence'] ?? Infinity)
    const isLate = uuid !== '' && number < (newest.get(uuid) ?? 0)
    if (Number.isFinite(number)) newest.set(uuid, number)
    return isLate ? uuid : []
  })
}

function isEnd(name: string): boolean {
  return name === 'CHANNEL_HANGUP_COMPLETE' || name === 'CHANNEL_DESTROY'
}

/** Returns the reported events of the other tenant, call by call. Their order among calls does not matter. */
function ofOther(published: readonly PlatformEvent[]): PlatformEvent[] {
  const key = ({ id, fields }: PlatformEvent) => fields['Event-Sequence'] ?? id
  const own = published.filter((event) => event.domain === otherDomain && !isOfEngine(event))
  return own.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

async function recordedDrops({ harness }: EventScenario): Promise<number> {
  const gaps = await harness.ports.gaps.list(0)
  return gaps.reduce((sum, { dropped }) => sum + (dropped?.count ?? 0), 0)
}

/** The commands that were written to the engine and are no question. */
function written(processes: readonly ScenarioProcess[]): string[] {
  return processes.flatMap(({ pipeline: { commands } }) => [
    ...commands.jobs.map(({ line }) => line),
    ...commands.asked.filter((line) => !question.test(line)),
  ])
}

function mostSent({ wanted, queue }: EventScenario): number {
  return wanted.reduce((most, { id }) => Math.max(most, queue.sent(id)), 0)
}

/** Checks that everything that all processes read is accounted for, and for the living one everything that it took. */
function sums({ processes, sent }: EventScenario) {
  const last = processes.at(-1)
  const of = (name: string) => last?.counter(name) ?? Number.NaN
  return [
    { of: 'events read', parts: processes.map(({ counter }) => counter('eventsRead')), whole: sent },
    {
      of: 'dropped events',
      parts: ['eventsDroppedTerminal', 'eventsDroppedCall', 'eventsDroppedOther'].map(of),
      whole: of('eventsDropped'),
    },
    {
      of: 'what the living process had to hand over',
      parts: ['eventsPublished', 'eventsWaiting'].map(of),
      whole: of('eventsRelayed') + of('cdrsRelayed'),
    },
  ]
}
