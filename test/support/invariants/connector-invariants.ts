import { randomUUID } from 'node:crypto'
import type { CommandRecord } from '../../../core/commands/commands.ts'
import type { ScriptedEngine } from '../engine/scripted-engine.ts'
import { anOriginate } from '../connector/command-message.ts'
import { type CommandFact, type EventFact, checkAllInvariants } from './invariants.ts'
import { aHook } from '../records/records.ts'
import { type RunningConnector, tenant } from '../connector/running-connector.ts'

/** The tenant that no fault of these tests concerns. */
const other = { domain: 'b.example.com', presenceId: null }

/** The most that a connector holds of events: its window of 48 MiB, and what has yet to be written. */
export const memoryLimit = 64 * 1_048_576

/** So much of a command's record is searched for secrets: a long one is a list of the engine's channels. */
const searchedLength = 65_536

/** The acts of a test on a connector. */
export interface Scenario {
  /** It is let in again, its phones stop ringing, and the connector has to come back to it. */
  readonly engine: ScriptedEngine
  /** Connections that may be open to it; those of one connector where absent. */
  readonly links?: number
  readonly password?: string
  /** Events that the engine sent and that a hook wants, and when it sent them; others cannot be lost. */
  readonly wanted?: readonly (EventFact & { readonly at?: number })[]
}

/**
 * Ends a fault test of a whole connector: the fault is over, commands and events of both tenants have to go through
 * again, and every invariant is checked.
 */
export async function checkConnector(running: RunningConnector, scenario: Scenario): Promise<void> {
  const { ports, time, connector, posted, log, written, peaks } = running
  const { engine, links = 2, password = 'ClueCon', wanted = [] } = scenario
  const untouched = await ofOthers(running)
  const endedAt = time.clock.now()
  engine.welcome = 'accept'
  await running.until(() => connector.health().status === 'OK' && connector.health().lagMs < 1_000)
  stopRinging(engine)
  for (const { domain } of [tenant, other]) await placeCall(running, engine, domain)
  const events = [await tellCall(running, engine, tenant.domain), await tellCall(running, engine, other.domain)]
  await running.until(() => connector.health().lagMs < 1_000)
  const backAfterMs = time.clock.now() - endedAt

  const { counters } = connector.health()
  const records = await Promise.all(posted.map(async ({ id }) => ({ id, record: await ports.commands.read(id) })))
  const count = (name: string) => counters[name] ?? Number.NaN
  const most = (name: string) => Math.max(count(name), peaks.get(name) ?? 0)
  checkAllInvariants({
    acknowledged: records.map(({ id, record }) => ({ what: `command ${id}`, isFound: record !== undefined })),
    events: { wanted: [...wanted, ...events], recordedAsLost: await lostInGaps(running, wanted) },
    commands: records.map(({ id, record }) => factOf(engine, id, record)),
    others: {
      before: { published: [], presence: [], logged: [], ofCalls: 1 },
      after: {
        ...untouched,
        ofCalls: ports.events.published.filter(({ uuid, domain }) => uuid !== '' && domain === other.domain).length,
      },
    },
    secrets: {
      values: [password],
      seen: [
        ...log.lines,
        ...written,
        connector.health(),
        ...records.map(({ record }) => JSON.stringify(record ?? '').slice(0, searchedLength)),
        ...ports.events.published,
        ...ports.state.connectors.values(),
        ...ports.state.gaps.values(),
      ],
    },
    bounds: [
      { of: 'links to the engine', value: engine.links, limit: links },
      { of: 'bytes of events', value: most('memoryBytes'), limit: memoryLimit },
      { of: 'gaps that wait', value: most('gapsWaiting'), limit: 1_000 },
      { of: 'commands in flight', value: most('commandsInFlight'), limit: 200 },
      { of: 'commands that wait', value: most('commandsWaiting'), limit: 600 },
      { of: 'lines written to the engine', value: engine.jobs.length, limit: posted.length },
    ],
    sums: [
      {
        of: 'dropped events',
        parts: ['eventsDroppedTerminal', 'eventsDroppedCall', 'eventsDroppedOther'].map(count),
        whole: count('eventsDropped'),
      },
    ],
    backAfterMs,
  })
}

/** The things of the other tenant, which no request and no answer concerned. */
async function ofOthers({ ports, log }: RunningConnector) {
  return {
    published: ports.events.published.filter(({ domain, uuid }) => domain === other.domain && uuid !== ''),
    presence: await ports.presence.list(other.domain),
    logged: log.lines.filter((line) => JSON.stringify(line).includes(other.domain)),
  }
}

function stopRinging(engine: ScriptedEngine): void {
  for (const { id } of engine.jobs.filter((job) => !engine.replies.has(job.id))) {
    engine.finishJob(id, '-ERR NO_ANSWER\n')
  }
}

/** Places a call of a tenant, which has to be done. */
async function placeCall(running: RunningConnector, engine: ScriptedEngine, domain: string | null): Promise<void> {
  const command = anOriginate()
  const message = await running.post(command, { domain, presenceId: null })
  await running.until(() => engine.jobs.some(({ id }) => id === message.id))
  engine.finishJob(message.id, `+OK ${command.uuid}\n`)
  await running.until(async () => (await running.outcome(message))?.state === 'done')
}

/** The engine reports that a call of a tenant begins, which a hook of the tenant wants. */
async function tellCall(running: RunningConnector, engine: ScriptedEngine, domain: string | null): Promise<EventFact> {
  const { ports, time } = running
  await ports.hooks.create([aHook({ event: 'CHANNEL_CREATE', domain: domain ?? '' })], 100)
  // So long a hook may take to be known.
  await time.advance(2_000)
  const uuid = randomUUID()
  engine.emit({
    'Event-Name': 'CHANNEL_CREATE',
    'Unique-ID': uuid,
    'Caller-Context': domain ?? '',
    'Call-Direction': 'inbound',
    'Caller-Channel-Created-Time': `${time.clock.now()}000`,
    'Event-Date-Timestamp': `${time.clock.now()}000`,
  })
  const published = () => ports.events.published.filter((event) => event.uuid === uuid && event.domain === domain)
  await running.until(() => published().length > 0)
  return { id: `${engine.coreUuid}:${uuid}:CHANNEL_CREATE`, publishedAs: published().map(({ id }) => id) }
}

/** How often an engine did a command, by its own count: a list is read, and what it refused was not done. */
function factOf(engine: ScriptedEngine, id: string, record: CommandRecord | undefined): CommandFact {
  const outcome = record?.outcome
  if (record?.command.kind === 'list-channels') return { id, outcome, effects: outcome?.state === 'done' ? 1 : 0 }
  const isDone = engine.replies.get(id)?.startsWith('-ERR') !== true
  return { id, outcome, effects: isDone ? engine.jobs.filter((job) => job.id === id).length : 0 }
}

/** Events that were not published, and that the engine sent in a time of which a gap is recorded. */
async function lostInGaps({ ports }: RunningConnector, wanted: NonNullable<Scenario['wanted']>): Promise<number> {
  const gaps = await ports.gaps.list(0)
  const isInGap = (at: number) => gaps.some(({ from, to }) => from <= at && at <= to)
  return wanted.filter(({ publishedAs, at }) => publishedAs.length === 0 && at !== undefined && isInGap(at)).length
}
