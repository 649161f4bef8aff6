import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { environment } from '../../contracts/environment.ts'
import { queues } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { CommandReceiver, TakenMessage } from '../../core/ports.ts'
import { type AdapterContext, required } from '../context.ts'

/** The longest that SQS lets a receive wait for a message. */
const longPollSeconds = 20

/** A long poll answers after 20 s at the latest; what takes longer than this is a dead connection. */
const requestTimeoutMs = 25_000
const connectTimeoutMs = 1_000

/** Takes commands from the queue that `QUEUE_COMMANDS` names. */
export function sqsCommandReceiver(context: AdapterContext): CommandReceiver {
  const QueueUrl = required(context, queues.commands.variable)
  const client = new SQSClient(configuration(context.env))

  return {
    receive: async (limit, signal) => {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: limit,
        WaitTimeSeconds: longPollSeconds,
        MessageSystemAttributeNames: ['MessageGroupId'],
      })
      try {
        const { Messages = [] } = await client.send(command, { abortSignal: signal })
        return Messages.flatMap(taken)
      } catch (cause) {
        if (signal.aborted) return []
        throw gone(cause)
      }
    },
    remove: async ({ receipt }) => {
      try {
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }))
      } catch (cause) {
        throw gone(cause)
      }
    },
  }
}

function taken(message: {
  Body?: string | undefined
  ReceiptHandle?: string | undefined
  Attributes?: Partial<Record<string, string>> | undefined
}): TakenMessage[] {
  const { Body: body, ReceiptHandle: receipt, Attributes: attributes } = message
  if (body === undefined || receipt === undefined) return []
  return [{ body, receipt, group: attributes?.['MessageGroupId'] ?? receipt }]
}

function gone(cause: unknown): DomainError {
  return new DomainError('store_unavailable', 'the command queue does not answer', { cause })
}

function configuration(env: AdapterContext['env']) {
  const endpoint = env[environment.sqsEndpoint]
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const sessionToken = env['AWS_SESSION_TOKEN']
  return {
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
    ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
    ...(env['AWS_REGION'] === undefined ? {} : { region: env['AWS_REGION'] }),
    // A container's credentials come from the SDK's own chain, which renews them.
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }),
  }
}
