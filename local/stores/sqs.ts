import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import type { Backend, ServiceAnswer } from '../gate/backend.ts'
import { PlainError } from '../processes/plain-error.ts'
import type { Signer } from '../signature/signature.ts'
import type { RunningStore } from './dynamodb.ts'
import { keepingGroups, makeQueuesFair } from './fair-sqs.ts'
import { forwardTo } from './forward.ts'
import { keepMessages, putBack } from './kept-messages.ts'

const contentType = 'application/x-amz-json-1.0'

/** What embedded queues keep from one run to the next. */
export interface KeptQueues {
  /** Where the messages are while nothing runs. */
  readonly file: string
  /** Whether a queue's messages are worth keeping: those of some are found elsewhere, or are too late by then. */
  readonly keeps: (queue: Queue) => boolean
}

/**
 * Starts the embedded SQS: in memory, in this process, with no socket of its own. Its standard queues are fair queues.
 * Closing it writes the messages that are left, also those that somebody works on, to a file; the next start puts them back.
 */
export async function startEmbeddedSqs(queues: readonly Queue[], kept?: KeptQueues): Promise<RunningStore> {
  await makeQueuesFair()
  const { buildApp } = await import('fauxqs')
  const app = buildApp({ logger: false })
  await app.ready()
  const call = (action: string, payload: Buffer | object) =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { host: 'localhost', 'content-type': contentType, 'x-amz-target': `AmazonSQS.${action}` },
      payload,
    })
  const backend: Backend = async ({ action, body, input, isAwaited }) => {
    const isSending = action === 'SendMessage' || action === 'SendMessageBatch'
    const answer = await (isSending ? keepingGroups(input, () => call(action, body)) : call(action, body))
    if (action === 'ReceiveMessage' && isAwaited?.() === false) {
      for (const again of returns(input, answer.payload)) await call('ChangeMessageVisibility', again)
    }
    const error = answer.headers['x-amzn-query-error']
    return {
      status: answer.statusCode,
      headers: { 'content-type': contentType, ...(error === undefined ? {} : { 'x-amzn-query-error': String(error) }) },
      body: answer.rawPayload,
    }
  }
  await createQueues(backend, queues)
  const putAgain = async (message: object) => {
    await keepingGroups(message, () => call('SendMessage', message))
  }
  if (kept !== undefined) await putBack(kept.file, putAgain)
  const inspect = async ({ name }: Queue) => (await app.inject(`/_fauxqs/queues/${name}`)).json<unknown>()
  return {
    backend,
    close: async () => {
      if (kept !== undefined) await keepMessages(kept.file, queues.filter(kept.keeps), inspect)
      await app.close()
    },
  }
}

const receiving = z.object({ QueueUrl: z.string() })
const received = z.object({ Messages: z.optional(z.array(z.object({ ReceiptHandle: z.string() }))) })

/**
 * What makes the messages of an answer visible again at once. SQS ends a long poll with its connection; the embedded
 * one goes on and would hand the next messages to a caller that is gone.
 */
function returns(input: unknown, answer: string): object[] {
  const { QueueUrl } = z.parse(receiving, input)
  const { Messages = [] } = z.parse(received, JSON.parse(answer))
  return Messages.map(({ ReceiptHandle }) => ({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
}

/** The store at `SQS_ENDPOINT`. Its own queue URLs take the place of ours on the way. */
export async function connectSqs(endpoint: string, signer: Signer, queues: readonly Queue[]): Promise<RunningStore> {
  const forwarder = forwardTo(endpoint, 'sqs', signer)
  let urls: ReadonlyMap<string, string>
  try {
    urls = await createQueues(forwarder.backend, queues)
  } catch (error) {
    await forwarder.close()
    throw new PlainError(`SQS_ENDPOINT ${endpoint} does not answer as SQS does`, { cause: error })
  }
  return {
    backend: (call) => {
      const url = z.safeParse(z.looseObject({ QueueUrl: z.string() }), call.input)
      if (!url.success) return forwarder.backend(call)
      const input = { ...url.data, QueueUrl: urls.get(nameOf(url.data.QueueUrl)) ?? url.data.QueueUrl }
      return forwarder.backend({ ...call, input, body: Buffer.from(JSON.stringify(input)) })
    },
    close: () => forwarder.close(),
  }
}

/** Makes the queues, those that others redrive to first; answers each one's URL by name. */
async function createQueues(backend: Backend, queues: readonly Queue[]): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>()
  const ordered = queues.toSorted(
    (a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes),
  )
  for (const { name, attributes } of ordered) {
    const answer = await create(backend, { QueueName: name, Attributes: attributes })
    if (answer.status !== 200) throw new Error(`queue ${name} cannot be made: ${String(answer.body)}`)
    urls.set(name, z.parse(z.object({ QueueUrl: z.string() }), JSON.parse(String(answer.body))).QueueUrl)
  }
  return urls
}

function create(backend: Backend, input: object): Promise<ServiceAnswer> {
  const body = Buffer.from(JSON.stringify(input))
  return backend({ action: 'CreateQueue', target: 'AmazonSQS.CreateQueue', contentType, body, input })
}

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}
