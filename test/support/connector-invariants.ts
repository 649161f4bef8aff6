import type { AnsweringEngine } from './answering-engine.ts'
import { type EventFact, checkAllInvariants } from './invariants.ts'
import type { RunningConnector } from './running-connector.ts'

/** The tenant that no fault of these tests concerns. */
const other = 'b.example.com'

/** What a connector holds at most: 48 MiB of events on their way, and as much of those that have yet to be handled. */
const memoryLimit = 112 * 1_048_576

/** What a test has done to a connector. */
export interface Ordeal {
  /** Absent where there is none at the end. It is let in again, and the connector has to come back to it. */
  readonly engine?: Pick<AnsweringEngine, 'jobs' | 'replies' | 'open' | 'welcome'> | undefined
  /** Connections that may be open to it; those of one connector where absent. */
  readonly links?: number
  readonly password?: string
  /** Events that the engine told and that a hook wants. */
  readonly wanted?: readonly EventFact[]
}

/** Ends a fault test of a whole connector: the fault is over, and every invariant is checked that can be told here. */
export async function checkConnector(running: RunningConnector, ordeal: Ordeal = {}): Promise<void> {
  const { ports, time, connector, posted, log } = running
  const { engine, links = 2, password = 'ClueCon', wanted = [] } = ordeal
  const endedAt = time.clock.now()
  if (engine !== undefined) {
    engine.welcome = 'accept'
    await running.until(() => connector.health().status === 'OK' && connector.health().lagMs < 1_000)
  }
  const { lagMs, counters } = connector.health()
  const records = await Promise.all(posted.map(async ({ id }) => ({ id, record: await ports.commands.read(id) })))
  const gaps = await ports.gaps.list(0)
  const effectsOf = (id: string) =>
    engine?.jobs.filter((job) => job.id === id && engine.replies.get(id)?.startsWith('-ERR') !== true).length ?? 0
  const count = (name: string) => counters[name] ?? Number.NaN
  checkAllInvariants({
    acknowledged: records.map(({ id, record }) => ({ what: `command ${id}`, isFound: record !== undefined })),
    events: { wanted, recordedAsLost: gaps.length === 0 ? 0 : wanted.length },
    commands: records.map(({ id, record }) => ({ id, outcome: record?.outcome, effects: effectsOf(id) })),
    others: {
      before: [[], []],
      after: [ports.events.published.filter(({ domain }) => domain === other), await ports.presence.list(other)],
    },
    secrets: {
      values: [password],
      seen: [...log.lines, connector.health(), ...ports.events.published, ...ports.state.connectors.values()],
    },
    bounds: [
      { of: 'links to the engine', value: engine?.open ?? 0, limit: links },
      { of: 'bytes of events', value: count('memoryBytes'), limit: memoryLimit },
      { of: 'gaps that wait', value: count('gapsWaiting'), limit: 1_000 },
      { of: 'commands in flight', value: count('commandsInFlight'), limit: 200 },
      { of: 'commands that wait', value: count('commandsWaiting'), limit: 600 },
    ],
    sums: [
      {
        of: 'dropped events',
        parts: ['eventsDroppedTerminal', 'eventsDroppedCall', 'eventsDroppedOther'].map(count),
        whole: count('eventsDropped'),
      },
    ],
    backAfterMs:
      engine === undefined
        ? { notHere: 'without an engine the fault has not ended' }
        : time.clock.now() - endedAt + lagMs,
  })
}
