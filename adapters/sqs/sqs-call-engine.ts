import { type CommandMessage, versionOfCommand } from '../../contracts/messages/command.ts'
import type { CommandRecord } from '../../core/commands/commands.ts'
import type { CallEngine } from '../../core/commands/call-engine.ts'
import type { AdapterContext } from '../context.ts'
import { dynamoCommandStore } from '../dynamodb/calls/dynamo-command-store.ts'
import { sendMessage } from './client.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
import { queuedCallEngine } from './queued-call-engine.ts'

/** Commands over the command queue: recorded, queued, and awaited on their record. */
export function sqsCallEngine(context: AdapterContext): CallEngine {
  const commands = dynamoCommandStore(context)
  return queuedCallEngine({ ...context, commands, enqueue: (record) => enqueue(context, record), sleep })
}

async function enqueue(context: AdapterContext, record: CommandRecord): Promise<void> {
  const message: CommandMessage = { version: versionOfCommand(record.command), ...record }
  await sendMessage(context, 'commands', {
    MessageBody: queueBody(message),
    MessageGroupId: queueId(commandGroup(record)),
    MessageDeduplicationId: queueId(record.id),
  })
}

/**
 * Returns the message group of a command: orders to one channel keep their order, as do those to one account. Each list
 * has a group of its own: it changes nothing, its caller has waited for the outcome of earlier orders, and messages of
 * one group are processed one after another, so that a hundred dashboards would wait for each other.
 */
export function commandGroup({ id, command, scope }: CommandRecord): string {
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
      return id
    case 'hang-up-domain':
    case 'flush-directory':
    case 'drop-domain-registrations':
      return `domain:${domain}`
    case 'apply-gateway':
      return `gateway:${command.name}@${domain}`
    case 'flush-account':
    case 'drop-registrations':
    case 'erase-messages':
      return `account:${command.login.toLowerCase()}@${domain}`
  }
}

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
