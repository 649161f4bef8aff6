import { queues } from '../../../contracts/resources.ts'
import { commandLimits } from '../../../connector/commands/command-slots.ts'
import type { CommandRecord } from '../../../core/commands/commands.ts'
import { type CallerAnswer, expectTruth } from '../platform/api-commands.ts'
import { passwordOf } from '../platform/api.ts'
import { memoryLimit } from './connector-invariants.ts'
import { type CommandFact, checkAllInvariants } from './invariants.ts'
import { type WatchedPath, domain, other } from '../connector/watched-path.ts'

/** Each engine has places of its own, and there are as many for what goes to several or has yet to be found. */
const most = (what: 'places' | 'queue') => 2 * (commandLimits.calls[what] + commandLimits.orders[what])

/** How far the time is moved on at once while the end of a fault is waited for. */
const lookMs = 250

/** No longer: by then everything has to be as before, and the check shows what is not. */
const longestMs = 60_000

/**
 * Ends a fault test of commands: the fault is over, the platform has to come back by itself, and every invariant is
 * checked. What the engine was made to do by the test is undone, `heal` does the rest; a connector is started where
 * none lives.
 */
export async function checkCommandPath(path: WatchedPath, heal: () => void = () => {}): Promise<void> {
  const { api, engine, queue, connectors, log, peaks, time, bystanders, answered } = path
  const othersAfter = path.others()
  const endedAt = time.clock.now()
  path.heal()
  heal()
  await findEngine(path)
  for (const tenant of [domain, other]) await untilPlaced(path, tenant)
  bystanders.answer()
  bystanders.end()
  const [own, theirs] = [await listed(path, domain), await listed(path, other)]
  const isBack = () =>
    unpublished(path).length === lostInGaps(path) &&
    living(path).every(({ connector }) => connector.health().lagMs < 1_000)
  while (!isBack() && time.clock.now() - endedAt <= longestMs) await time.advance(lookMs)
  const backAfterMs = time.clock.now() - endedAt

  const records = path.records()
  for (const { answer, ids } of answered) expectTruth(answer, effectsOf(path, ids.at(-1) ?? ''))
  const accounts = [...api.ports.state.accounts.values()]
  const published = api.ports.events.published
  checkAllInvariants({
    acknowledged: [
      ...(await Promise.all(
        records.map(async ({ id }) => ({ what: `command ${id}`, isFound: (await path.store.read(id)) !== undefined })),
      )),
      ...(await Promise.all(
        accounts.map(async ({ domain, login }) => ({
          what: `${login}@${domain}`,
          isFound: (await api.ports.accounts.read(domain, login)) !== undefined,
        })),
      )),
      ...effectsKept(path, own),
    ],
    events: { wanted: bystanders.events(), recordedAsLost: lostInGaps(path) },
    commands: [...records.map((record) => factOf(path, record, record.outcome)), ...reportedFacts(path)],
    others: {
      before: { ...path.othersBefore, seen: [], mixed: [] },
      after: {
        ...othersAfter,
        seen: own.filter((uuid) => theirs.includes(uuid)),
        mixed: published.filter((event) => event.uuid !== '' && event.domain !== ownerOf(path, event.uuid)),
      },
    },
    secrets: {
      values: ['ClueCon', passwordOf('1000'), passwordOf('1001'), ...accounts.map(({ a1Hash }) => a1Hash)],
      seen: [
        ...log.lines,
        ...api.log.lines,
        ...answered.map(({ answer }) => ('outcome' in answer ? answer : [answer.headers, answer.text])),
        ...records,
        ...published,
        ...queue.bodies,
        ...path.metrics,
        ...connectors.map(({ connector }) => connector.health()),
        ...api.ports.state.connectors.values(),
        ...api.ports.state.gaps.values(),
      ],
    },
    bounds: [
      { of: 'commands in flight', value: peaks.get('commandsInFlight') ?? 0, limit: most('places') },
      { of: 'commands that wait', value: peaks.get('commandsWaiting') ?? 0, limit: most('queue') },
      { of: 'links to the engine', value: peaks.get('links') ?? 0, limit: 2 },
      { of: 'bytes of events', value: peaks.get('memoryBytes') ?? 0, limit: memoryLimit },
      { of: 'gaps that wait', value: peaks.get('gapsWaiting') ?? 0, limit: 1_000 },
      { of: 'lines written to the engine', value: engine.lines.length, limit: records.length },
      { of: 'takings', value: queue.taken, limit: queue.bodies.length * queues.commands.maxReceives },
      { of: 'lines logged', value: log.lines.length, limit: 3 * queue.taken + 60 * connectors.length },
    ],
    sums: sumsOf(path),
    backAfterMs,
  })
}

/** Lets every connector that lives reach the engine, and waits until it has both of its links. */
async function findEngine(path: WatchedPath): Promise<void> {
  for (const { door } of living(path)) await door.reopen()
  if (living(path).length === 0) await path.connect()
  await path.until(() => living(path).every(({ connector }) => connector.health().status === 'OK'), lookMs)
}

const living = ({ connectors }: WatchedPath) => connectors.filter(({ isDead }) => !isDead)

/** Places calls of a tenant until one is placed at once, as a caller does who gets `Retry-After`. */
async function untilPlaced(path: WatchedPath, tenant: string): Promise<void> {
  const from = path.time.clock.now()
  while (path.time.clock.now() - from <= longestMs) {
    const answer = await path.finish(path.ask('originate', '', tenant))
    if ('status' in answer && answer.status === 200 && answer.body.pending !== true) return
    await path.time.advance(1_000)
  }
}

/** The uuids of a tenant's channels, as its administrator sees them. */
async function listed(path: WatchedPath, tenant: string): Promise<readonly string[]> {
  const answer: CallerAnswer = await path.finish(path.ask('list-channels', '', tenant))
  if ('outcome' in answer || answer.status !== 200) throw new Error(`the channels of ${tenant} cannot be listed`)
  return answer.body.data.rows.map(({ uuid }: { readonly uuid: string }) => uuid)
}

/** How often a command was done. Of reading there is no effect that could be doubled. */
function effectsOf(path: WatchedPath, id: string): number {
  const record = path.api.ports.state.commands.get(id)
  const kind = record?.command.kind
  if (kind === 'hang-up-domain') return path.engine.timesDone(`uuid_kill ${path.bystanders.uuids.get(domain)}`)
  if (record?.command.kind === 'drop-registrations' || record?.command.kind === 'drop-domain-registrations') {
    const { command, outcome } = record
    const login = command.kind === 'drop-registrations' ? command.login : ''
    return outcome?.state === 'done'
      ? Math.min(1, path.engine.timesDone(`sofia profile internal flush_inbound_reg ${login}@${domain}`))
      : 0
  }
  if (kind === 'list-channels') return record?.outcome?.state === 'done' ? 1 : 0
  if (kind === 'hold' && record?.outcome?.state === 'done') return holdsOf(path, uuidOf(record.command)) > 0 ? 1 : 0
  return path.engine.effectsOf(id)
}

/** A hold of a channel that is held is done as well: what it asked for was done by one before it. */
function holdsOf(path: WatchedPath, uuid: string | undefined): number {
  const holds = path.records().filter(({ command }) => command.kind === 'hold' && command.uuid === uuid)
  return holds.reduce((sum, { id }) => sum + path.engine.effectsOf(id), 0)
}

function factOf(path: WatchedPath, { id }: Pick<CommandRecord, 'id'>, outcome: CommandFact['outcome']): CommandFact {
  return { id, outcome, effects: effectsOf(path, id) }
}

/** The answers that callers got, which may be older than the present state. */
function reportedFacts(path: WatchedPath): CommandFact[] {
  return path.asked.flatMap(({ ids, reported }) => {
    const id = ids.at(-1)
    return id === undefined || reported === undefined ? [] : [factOf(path, { id }, reported.outcome)]
  })
}

/** Checks each order that was reported as done in the list of channels and at the engine. */
function effectsKept(path: WatchedPath, own: readonly string[]) {
  const channels = new Map<string, 'up' | 'held' | 'gone'>()
  for (const { command, outcome, scope } of path.records().filter(({ outcome }) => outcome !== undefined)) {
    if (scope.domain !== domain || outcome?.state === 'refused') continue
    const uuid = outcome?.state === 'done' ? (outcome.uuid ?? uuidOf(command)) : uuidOf(command)
    if (command.kind === 'hang-up-domain') channels.clear()
    if (uuid === undefined) continue
    if (outcome?.state === 'done') channels.set(uuid, afterDone[command.kind] ?? 'up')
    else if (outcome?.state === 'unknown') channels.delete(uuid)
  }
  return [...channels].map(([uuid, state]) => ({
    what: `channel ${uuid} that is ${state}`,
    isFound:
      own.includes(uuid) === (state !== 'gone') &&
      (path.engine.channels.get(uuid)?.isHeld ?? false) === (state === 'held'),
  }))
}

const afterDone: Partial<Record<CommandRecord['command']['kind'], 'held' | 'gone'>> = { hold: 'held', hangup: 'gone' }

function uuidOf(command: CommandRecord['command']): string | undefined {
  return 'uuid' in command ? command.uuid : undefined
}

function unpublished({ bystanders }: WatchedPath) {
  return bystanders.events().filter(({ publishedAs }) => publishedAs.length === 0)
}

/** Events that were not published, and that the engine sent in a time of which a gap is recorded. */
function lostInGaps(path: WatchedPath): number {
  const gaps = [...path.api.ports.state.gaps.values()]
  return unpublished(path).filter(({ at }) => gaps.some(({ from, to }) => from <= at && at <= to)).length
}

/** The owner of the call that an event belongs to. */
function ownerOf(path: WatchedPath, uuid: string): string | undefined {
  const record = path.records().find(({ command }) => uuidOf(command) === uuid)
  return path.owners.get(uuid) ?? record?.scope.domain ?? undefined
}

function sumsOf({ connectors, queue }: WatchedPath) {
  const dropped = connectors.map(({ connector }) => {
    const { counters } = connector.health()
    const parts = ['Terminal', 'Call', 'Other'].map((name) => counters[`eventsDropped${name}`] ?? Number.NaN)
    return { of: 'dropped events', parts, whole: counters['eventsDropped'] ?? Number.NaN }
  })
  const [only, ...others] = connectors
  if (only === undefined || others.length > 0) return dropped
  const ends = Object.entries(only.connector.health().counters).filter(([name]) => name.startsWith('commands_'))
  return [...dropped, { of: 'messages taken', parts: ends.map(([, count]) => count), whole: queue.taken }]
}
