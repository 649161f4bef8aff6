import type { Log } from '../../adapters/log/logger.ts'
import type { Channel, LifeEvent } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import { readChannels, reader } from '../calls/engine-channels.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { endGone } from './gone-channels.ts'

/**
 * When the engine's channels are read after its event link came up. Its list is written up to 0.2 s late, so a
 * difference counts when two readings in a row show it. The late one finds what the list has kept too long.
 */
const readings = [1_000, 4_000, 30_000]

/** How far apart two readings are that confirm each other. */
const betweenMs = 3_000

/** Stop after ten readings; the next reconnect compares again. */
const maxReadings = 10

const answered: ReadonlySet<string> = new Set(['ACTIVE', 'HELD', 'UNHELD'])

export interface ChannelCheckDeps extends Time {
  readonly registry: ChannelRegistry
  readonly link: Pick<EngineLink, 'api'>
  readonly engine: string
  /** The process of the engine whose event link came up, and the one that the command link reaches now. */
  readonly core: string
  readonly currentCore: () => string
  /** Whether an event of this moment, in microseconds of the engine's clock, may have been missed. */
  readonly mayHaveMissed: (microseconds: string) => boolean
  readonly make: (event: SyntheticEvent) => void
  /** Called when every live channel of the engine is known; must not throw. */
  readonly onConfirmed: () => void
  readonly random: () => number
  readonly log: Log
}

type Differences = Map<string, Difference>

interface Difference {
  readonly uuid: string
  readonly kind: 'gone' | 'unknown' | LifeEvent
}

/**
 * Compares the known channels of an engine with those that it lists, after its event link came up. A channel that is
 * not listed, and that the engine denies when asked for it, is ended. An unknown one is recorded, and its missed events
 * are synthesized. Ends when nothing is left to confirm, when `signal` is aborted, or when another process of the
 * engine answers. Events of the engine that come meanwhile take precedence.
 */
export async function checkChannels(parts: ChannelCheckDeps, signal: AbortSignal): Promise<void> {
  const { timers, clock } = parts
  const startedAt = clock.now()
  const due = [...readings]
  let pending: Differences = new Map()
  for (let count = 0; count < maxReadings && (due.length > 0 || pending.size > 0); count += 1) {
    const elapsed = clock.now() - startedAt
    const next = due[0] === undefined || pending.size > 0 ? elapsed + betweenMs : due[0]
    if (due[0] !== undefined && due[0] <= next) due.shift()
    await pause(timers, Math.max(0, next - elapsed), signal)
    const rows = await rowsOf(parts, signal)
    if (rows === undefined) return
    pending = await compare(parts, rows, pending, signal)
    if (signal.aborted) return
    // Earlier readings may still list what ended before the link came up.
    if (due.length === 0) for (const uuid of rows.keys()) parts.registry.confirm(uuid)
  }
  if (pending.size === 0) parts.onConfirmed()
}

/** The engine's list, by uuid; absent if the engine can no longer be asked. */
async function rowsOf(
  parts: ChannelCheckDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, (name: string) => string | undefined> | undefined> {
  const isSameCore = () => parts.currentCore() === parts.core
  const onFailure = (problem: unknown, failures: number) => {
    const reason = problem instanceof Error ? problem.name : ''
    if (failures === 1) parts.log.warn('the channels of an engine could not be read', { reason })
  }
  const answer = await retry(() => readChannels(parts.link), parts, { mayTry: isSameCore, signal, onFailure })
  if (answer === undefined || signal.aborted || !isSameCore()) return undefined
  return new Map(
    answer.value.map((row) => {
      const read = reader(row)
      return [parts.registry.idOf(read('uuid') ?? ''), (name) => (name === 'Core-UUID' ? parts.core : read(name))]
    }),
  )
}

type Rows = NonNullable<Awaited<ReturnType<typeof rowsOf>>>

/** Acts on what the reading before showed too, and answers what the next one has to confirm. */
async function compare(
  parts: ChannelCheckDeps,
  rows: Rows,
  before: Differences,
  signal: AbortSignal,
): Promise<Differences> {
  const now: Differences = new Map()
  const confirmed: Differences = new Map()
  const note = (uuid: string, kind: Difference['kind']) => {
    const key = `${kind} ${uuid}`
    if (before.has(key)) confirmed.set(key, { uuid, kind })
    else now.set(key, { uuid, kind })
  }
  for (const channel of parts.registry.of(parts.engine)) {
    const mayBeComing = channel.core === '' && parts.registry.isAwaited(channel.uuid)
    if (!rows.has(channel.uuid) && !channel.heard && !mayBeComing) note(channel.uuid, 'gone')
  }
  for (const [uuid, read] of rows) {
    const channel = parts.registry.find(uuid)
    if (channel?.uuid !== uuid || channel.core === '') {
      if (uuid !== '' && !parts.registry.hasEnded(uuid)) note(uuid, 'unknown')
      continue
    }
    for (const kind of missedOf(parts, channel, read('callstate') ?? '')) note(uuid, kind)
  }
  const gone = [...confirmed.values()].flatMap(({ uuid, kind }) => (kind === 'gone' ? uuid : []))
  const isOver = () => signal.aborted || parts.currentCore() !== parts.core
  for (const uuid of await endGone({ ...parts, isOver }, gone)) now.set(`gone ${uuid}`, { uuid, kind: 'gone' })
  for (const { uuid, kind } of confirmed.values()) if (kind !== 'gone') await makeUpFor(parts, rows, uuid, kind)
  return now
}

async function makeUpFor(
  parts: ChannelCheckDeps,
  rows: Rows,
  uuid: string,
  kind: 'unknown' | LifeEvent,
): Promise<void> {
  const make = (name: LifeEvent, channel: Channel) => parts.make(new SyntheticEvent(name, channel, parts.clock.now()))
  const known = parts.registry.find(uuid)
  const read = rows.get(uuid)
  if (kind === 'unknown' && read !== undefined) {
    const channel = await learn(parts, uuid, read)
    if (channel !== undefined) for (const name of missedOf(parts, channel, channel.callState)) make(name, channel)
  } else if (kind !== 'unknown' && known !== undefined) make(kind, known)
}

/** Without the store of domains nothing is learned now; its next event will try again. */
async function learn(
  { registry, engine }: ChannelCheckDeps,
  uuid: string,
  read: (name: string) => string | undefined,
): Promise<Channel | undefined> {
  try {
    return await registry.learn(uuid, read, engine)
  } catch {
    return undefined
  }
}

function missedOf({ registry, mayHaveMissed }: ChannelCheckDeps, channel: Channel, callState: string): LifeEvent[] {
  const hasBegun = registry.hasSeen(channel.uuid, 'CHANNEL_CREATE')
  const isOfGap = mayHaveMissed(channel.createdAt)
  const missed: LifeEvent[] = []
  if (!hasBegun && isOfGap) missed.push('CHANNEL_CREATE')
  if ((hasBegun || isOfGap) && answered.has(callState) && !registry.hasSeen(channel.uuid, 'CHANNEL_ANSWER')) {
    missed.push('CHANNEL_ANSWER')
  }
  return missed
}
