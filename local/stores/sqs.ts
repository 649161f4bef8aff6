import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import type { Backend, ServiceAnswer } from '../gate/backend.ts'
import { PlainError } from '../processes/plain-error.ts'
import type { Signer } from '../signature/signature.ts'
import type { RunningStore } from './dynamodb.ts'
import { keepingGroups, makeQueuesFair } from './fair-sqs.ts'
import { forwardTo } from './forward.ts'
import { openQueueActions } from './queue-actions.ts'
import { type KeptQueues, type KeptRun, openKeptQueues } from './kept-queues.ts'

const contentType = 'application/x-amz-json-1.0'

/** A run of the embedded queues, between two stops. */
export type QueueRun = Pick<KeptRun, 'lost' | 'begin'>

/** A store of queues. */
export interface QueueStore extends RunningStore {
  /**
   * The run of embedded queues with stored state. It begins once the loss of the last run is recorded; until then a stop
   * leaves everything on disk unchanged.
   */
  readonly run: QueueRun | undefined
}

/**
 * Starts the embedded SQS: in memory, in this process, with no socket of its own. Its standard queues are fair queues.
 * Closing it writes the messages that are left, also those in flight, to a file; the next start puts them back.
 */
export async function startEmbeddedSqs(queues: readonly Queue[], kept?: KeptQueues): Promise<QueueStore> {
  await makeQueuesFair()
  const embedded = await openQueueActions()
  const backend: Backend = async ({ action, input, isAwaited }) => {
    const isSending = action === 'SendMessage' || action === 'SendMessageBatch'
    const call = () => embedded.call(action, input)
    const { result, ...answer } = await (isSending ? keepingGroups(input, call) : call())
    if (action === 'ReceiveMessage' && isAwaited?.() === false) {
      for (const again of returns(input, result)) await embedded.call('ChangeMessageVisibility', again)
    }
    return answer
  }
  await createQueues(backend, queues)
  const inspect = async ({ name }: Queue) => embedded.inspectQueue(name)
  const send = async (message: object) => {
    await keepingGroups(message, () => embedded.call('SendMessage', message))
  }
  const run = kept && (await openKeptQueues(kept, { queues: queues.filter(kept.keeps), inspect, send }))
  return {
    backend,
    run,
    close: async () => {
      await run?.end()
      embedded.shutdown()
    },
  }
}

const receiving = z.object({ QueueUrl: z.string() })
const received = z.object({ Messages: z.optional(z.array(z.object({ ReceiptHandle: z.string() }))) })

/**
 * Returns whether the messages of an answer must become visible again at once. SQS ends a long poll with its connection; the
 * embedded one continues, and would deliver the next messages to a caller that has disconnected.
 */
function returns(input: unknown, answer: unknown): object[] {
  const { QueueUrl } = z.parse(receiving, input)
  const { Messages = [] } = z.parse(received, answer)
  return Messages.map(({ ReceiptHandle }) => ({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
}

/** Connects to the store at `SQS_ENDPOINT`. Its own queue URLs replace ours on the way. */
export async function connectSqs(endpoint: string, signer: Signer, queues: readonly Queue[]): Promise<QueueStore> {
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
    run: undefined,
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
    const answer = await create(backend, { QueueName: name, Attributes: { ...attributes } })
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
