import { createHash } from 'node:crypto'
import type { CommandOutcome, CommandRecord, EngineCommand, OrderedBy } from '../../core/commands/commands.ts'
import { DomainError } from '../../core/errors.ts'
import type { CallEngine } from '../../core/commands/call-engine.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import type { Clock, Randomness } from '../../core/time.ts'
import { ServiceRefusal } from '../aws/call-service.ts'
import { uuidFrom } from '../crypto/derived-randomness.ts'

/** A command whose caller does not wait may still be sent this long after its creation. */
const UNWAITED_MS = 60_000

/** A call is placed no later than if its caller waited. */
const UNWAITED_CALL_MS = 20_000

/**
 * Flushes, drops of an account's registrations and changes of gateways do no harm when they are repeated, and an engine
 * would keep what it has for good without them. So they may be sent as long as a busy queue could hold them. An engine
 * whose link was lost is flushed by its connector.
 */
const REPEATABLE_MS = 24 * 3_600_000
const repeatable: ReadonlySet<EngineCommand['kind']> = new Set([
  'flush-account',
  'flush-directory',
  'drop-registrations',
  'apply-gateway',
])

/** The record is read again after this long at first, and less often later: most outcomes come within 50 ms. */
const FIRST_PAUSE_MS = 15
const LONGEST_PAUSE_MS = 250
const PAUSE_GROWTH = 1.5

/** The time for the last reading, at the deadline itself, together with the withdrawal after it. */
const LAST_LOOK_MS = 2_000

/** The dependencies of sending commands to a connector. */
export interface QueuedCallEngineDeps {
  readonly commands: CommandStore
  /** Queues a recorded command. Rejects with a {@link ServiceRefusal} as the cause when the queue refused it. */
  readonly enqueue: (record: CommandRecord) => Promise<void>
  readonly clock: Clock
  readonly random: Randomness
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<undefined>
}

/** Commands that are recorded, queued, and awaited on their record, whatever keeps the records and the queue. */
export function queuedCallEngine(parts: QueuedCallEngineDeps): CallEngine {
  const { commands, enqueue, clock, random } = parts

  /** Only a repeatable command needs to read what was recorded before. */
  async function record(command: EngineCommand, by: OrderedBy): Promise<CommandRecord> {
    const wanted = { command, by, waitMs: lifeMsOf(command), id: random.uuid() }
    const made = newRecord(wanted, clock.now())
    if (!(await commands.create(made))) throw new DomainError('internal_error', 'a command of that id exists')
    return made
  }

  async function queue(made: CommandRecord): Promise<void> {
    try {
      await enqueue(made)
    } catch (error) {
      // Without an answer the command may have arrived, even if a later try was refused; its record shows that.
      if (!(error instanceof DomainError)) throw error
      if (error.cause instanceof ServiceRefusal && (await isWithdrawn(commands, made.id))) throw error
    }
  }

  return {
    async run(command, by, waitMs, id) {
      const { made, isNew } = await recordOnce(parts, { command, by, waitMs, id: id ?? random.uuid() })
      if (made.outcome !== undefined) return made.outcome
      if (isNew) await queue(made)
      return outcomeOf(parts, made)
    },
    async send(command, by, id) {
      // What may be repeated is better reported as not queued than lost.
      const pass = repeatable.has(command.kind) ? enqueue : queue
      if (id === undefined) return pass(await record(command, by))
      const { made, isNew } = await recordOnce(parts, { command, by, waitMs: lifeMsOf(command), id })
      if (isNew) await pass(made)
    },
  }
}

function lifeMsOf({ kind }: EngineCommand): number {
  if (kind === 'originate') return UNWAITED_CALL_MS
  return repeatable.has(kind) ? REPEATABLE_MS : UNWAITED_MS
}

function isWithdrawn(commands: CommandStore, id: string): Promise<boolean> {
  return commands.withdraw(id).catch(() => false)
}

interface WantedCommand {
  readonly command: EngineCommand
  readonly by: OrderedBy
  readonly waitMs: number
  readonly id: string
}

function newRecord({ command, by, waitMs, id }: WantedCommand, createdAt: number): CommandRecord {
  const { requestId, ...scope } = by
  return {
    id,
    scope,
    command,
    createdAt,
    deadlineAt: createdAt + waitMs,
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/**
 * Records a command that may be a repetition. The record of the first is answered, not to be queued again, unless it
 * is certain that it was never sent: then it is ended, so that no connector can take it any more, and the next id of
 * the row that begins with the given one is tried.
 */
async function recordOnce(
  { commands, clock }: QueuedCallEngineDeps,
  wanted: WantedCommand,
): Promise<{ made: CommandRecord; isNew: boolean }> {
  for (let next = wanted.id; ; next = followingId(next)) {
    const made = newRecord({ ...wanted, id: next }, clock.now())
    if (await commands.create(made)) return { made, isNew: true }
    const wasSent = !(await commands.withdraw(next))
    const known = await commands.read(next)
    if (known !== undefined && wasSent && known.outcome?.state !== 'unsent') return { made: known, isNew: false }
  }
}

function followingId(id: string): string {
  return uuidFrom(createHash('sha256').update(id).digest())
}

/**
 * Reads the record until it has an outcome or its deadline has passed, whatever a single reading does. What has not
 * been taken by then is withdrawn: the queue may still hand it out, and no clock but the record decides.
 */
async function outcomeOf(
  { commands, clock, sleep }: QueuedCallEngineDeps,
  { id, deadlineAt }: CommandRecord,
): Promise<CommandOutcome | undefined> {
  const left = () => Math.max(0, deadlineAt - clock.now())
  const overdue = new AbortController()
  const end = sleep(left() + LAST_LOOK_MS, overdue.signal)
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
      await sleep(Math.min(pause, left()), overdue.signal)
      const isLast = left() === 0
      const record = await Promise.race([commands.read(id).catch(ifUnavailable), end])
      if (record?.outcome !== undefined) return record.outcome
      if (isLast) return await Promise.race([lastOutcome(commands, id).catch(ifUnavailable), end])
    }
  } finally {
    overdue.abort()
  }
}

/** A withdrawal that comes too late finds a command that was taken, and may have ended, at the same moment. */
async function lastOutcome(commands: CommandStore, id: string): Promise<CommandOutcome | undefined> {
  if (await commands.withdraw(id)) return { state: 'unsent', reason: 'expired' }
  return (await commands.read(id))?.outcome
}

/** The command is on its way: a store that is unreadable for a moment must not look like the command's failure. */
function ifUnavailable(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'store_unavailable') return undefined
  throw error
}
