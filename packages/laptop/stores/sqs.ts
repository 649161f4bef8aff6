import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import type { Backend, ServiceAnswer } from '../gate/backend.ts'
import { PlainError } from '../processes/plain-error.ts'
import type { Signer } from '../signature/sign.ts'
import type { RunningStore } from './dynamodb.ts'
import { forwardTo } from './forward.ts'
import { type QueueFiles, type QueueRun, openQueueRun } from './queue-run.ts'

const contentType = 'application/x-amz-json-1.0'

/** A store of queues. */
export interface QueueStore extends RunningStore {
  /** The run of embedded queues with stored state. Until it begins, a stop leaves everything on disk unchanged. */
  readonly run: Pick<QueueRun, 'isLost' | 'begin'> | undefined
}

/**
 * Starts the embedded SQS: in memory, in this process, with no socket of its own. Closing it writes the messages that
 * are left in the queues of `files`, also those in flight; the next start puts them back. `regroup` may change what
 * `SendMessageBatch` is given: SQS hands out many messages of a group at a time, and the embedded one a single one.
 */
export async function startEmbeddedSqs(
  queues: readonly Queue[],
  files?: QueueFiles,
  regroup?: (input: unknown) => object | undefined,
): Promise<QueueStore> {
  // Only here: whoever uses another store has no use for its modules.
  const { buildApp } = await import('fauxqs')
  const app = buildApp({ logger: false })
  const call = async (action: string, payload: string | Buffer): Promise<ServiceAnswer> => {
    const headers = { host: 'localhost', 'content-type': contentType, 'x-amz-target': `AmazonSQS.${action}` }
    const {
      statusCode: status,
      headers: given,
      body,
    } = await app.inject({ method: 'POST', url: '/', headers, payload })
    const refusal = given['x-amzn-query-error']
    return {
      status,
      headers: { 'content-type': contentType, ...(typeof refusal === 'string' && { 'x-amzn-query-error': refusal }) },
      body,
    }
  }
  const backend: Backend = async ({ action, body, input, isAwaited }) => {
    const divided = action === 'SendMessageBatch' ? regroup?.(input) : undefined
    const answer = await call(action, divided === undefined ? body : JSON.stringify(divided))
    if (action === 'ReceiveMessage' && isAwaited?.() === false)
      for (const again of returns(input, answer)) await call('ChangeMessageVisibility', JSON.stringify(again))
    return answer
  }
  await createQueues(backend, queues)
  const inspect = async ({ name }: Queue) => JSON.parse((await app.inject(`/_fauxqs/queues/${name}`)).body) as unknown
  const send = async (message: object) => void (await call('SendMessage', JSON.stringify(message)))
  const run = files && (await openQueueRun(files, { queues, inspect, send }))
  return {
    backend,
    run,
    close: async () => {
      await run?.end()
      await app.close()
    },
  }
}

const receiving = z.object({ QueueUrl: z.string() })
const received = z.object({ Messages: z.optional(z.array(z.object({ ReceiptHandle: z.string() }))) })

/**
 * Returns what makes the messages of an answer visible again at once. SQS ends a long poll with its connection; the
 * embedded one continues, and would deliver the next messages to a caller that has disconnected.
 */
function returns(input: unknown, { body }: ServiceAnswer): object[] {
  const { QueueUrl } = z.parse(receiving, input)
  const { Messages = [] } = z.parse(received, JSON.parse(String(body)))
  return Messages.map(({ ReceiptHandle }) => ({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
}

/** Connects to the store at an address, which sentences call `name`. Its queue URLs replace ours on the way. */
export async function connectSqs(
  endpoint: string,
  signer: Signer,
  queues: readonly Queue[],
  name = 'the SQS',
): Promise<QueueStore> {
  const forwarder = forwardTo(endpoint, 'sqs', signer)
  let urls: ReadonlyMap<string, string>
  try {
    urls = await createQueues(forwarder.backend, queues)
  } catch (error) {
    await forwarder.close()
    throw new PlainError(`${name} ${endpoint} does not answer as SQS does`, { cause: error })
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
