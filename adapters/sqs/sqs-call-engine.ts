import type { CommandMessage } from '../../contracts/messages/command.ts'
import { queues } from '../../contracts/resources.ts'
import type { CommandOutcome, CommandRecord, CommandScope, EngineCommand } from '../../core/commands.ts'
import { DomainError } from '../../core/errors.ts'
import type { CallEngine, CommandStore } from '../../core/ports.ts'
import { ServiceRefusal, awsJson, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'
import { dynamoCommandStore } from '../dynamodb/dynamo-command-store.ts'
import { queueBody, queueId } from './queue-text.ts'

/** A command that nobody waits for may still be sent this long after. */
const UNWAITED_MS = 60_000

/** The record is read again after this long at first, and less often later: most outcomes come within 50 ms. */
const FIRST_PAUSE_MS = 15
const LONGEST_PAUSE_MS = 250
const PAUSE_GROWTH = 1.5

/** How long the last reading, at the deadline itself, and the withdrawal after it may take together. */
const LAST_LOOK_MS = 2_000

/** Commands over the command queue: recorded, queued, and awaited on their record. */
export function sqsCallEngine(context: AdapterContext): CallEngine {
  const commands = dynamoCommandStore(context)

  async function record(command: EngineCommand, scope: CommandScope, lifeMs: number): Promise<CommandRecord> {
    const createdAt = context.clock.now()
    const made = { id: context.random.uuid(), scope, command, createdAt, deadlineAt: createdAt + lifeMs }
    if (!(await commands.create(made))) throw new DomainError('internal_error', 'a command of that id exists')
    return made
  }

  return {
    async run(command, scope, waitMs) {
      const made = await record(command, scope, waitMs)
      try {
        await enqueue(context, made)
      } catch (error) {
        // Without an answer the command may have arrived: its record tells. A refused one has not.
        if (!(error instanceof DomainError) || error.cause instanceof ServiceRefusal) throw error
      }
      return outcomeOf(context, commands, made)
    },
    async send(command, scope) {
      await enqueue(context, await record(command, scope, UNWAITED_MS))
    },
  }
}

async function enqueue(context: AdapterContext, record: CommandRecord): Promise<void> {
  const message: CommandMessage = { version: 1, ...record }
  await awsJson(context, services.sqs, 'SendMessage', {
    QueueUrl: required(context, queues.commands.variable),
    MessageBody: queueBody(message),
    MessageGroupId: queueId(groupOf(record)),
    MessageDeduplicationId: queueId(record.id),
  })
}

/**
 * Reads the record until it has an outcome or its deadline has passed, whatever a single reading does. What has not
 * been taken by then is withdrawn: the queue may still hand it out, and no clock but the record decides.
 */
async function outcomeOf(
  context: AdapterContext,
  commands: CommandStore,
  { id, deadlineAt }: CommandRecord,
): Promise<CommandOutcome | undefined> {
  const left = () => Math.max(0, deadlineAt - context.clock.now())
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

/** The command is on its way: that the store cannot be read for a moment must not be told as its failure. */
function ifUnavailable(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'store_unavailable') return undefined
  throw error
}

/** Orders to one channel keep their order; so do those to one account, and the lists of one domain. */
function groupOf({ command, scope }: CommandRecord): string {
  const domain = scope.domain ?? ''
  switch (command.kind) {
    case 'originate':
    case 'hold':
    case 'unhold':
    case 'hangup':
      return command.uuid
    case 'eavesdrop':
      return command.target
    case 'list-channels':
      return `list:${domain}`
    case 'flush-account':
    case 'drop-registrations':
      return `account:${command.login.toLowerCase()}@${domain}`
  }
}

/** Waits, at most until the signal is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve(undefined)
    }
  })
}
