/** The embedded SQS without its HTTP server, which would take as long for a call as the queues themselves. */
import * as z from 'zod/mini'
import type { ServiceAnswer } from '../gate/backend.ts'

const contentType = 'application/x-amz-json-1.0'

/** Everything that the embedded SQS can do; each action is a function in a file of its name. */
const actions = [
  'CreateQueue',
  'DeleteQueue',
  'GetQueueUrl',
  'ListQueues',
  'GetQueueAttributes',
  'SetQueueAttributes',
  'PurgeQueue',
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'SendMessageBatch',
  'DeleteMessageBatch',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'TagQueue',
  'UntagQueue',
  'ListQueueTags',
] as const

/** The queues of the embedded SQS, as its own router and files have them. */
interface Store {
  /** The content of a queue; `undefined` where there is none of this name. */
  inspectQueue(name: string): unknown
  /** Ends the long polls under way. */
  shutdown(): void
}

interface Reply {
  status(code: number): void
  header(name: string, value: string): void
}

interface Router {
  register(action: string, handler: unknown): void
  handle(request: { readonly headers: Readonly<Record<string, string>>; readonly body: unknown }, reply: Reply): unknown
}

/** Queues that are called in this process. */
export interface QueueActions extends Store {
  /** Carries out an action; refusals are answers too. */
  call(action: string, input: unknown): Promise<ServiceAnswer & { readonly result: unknown }>
}

/** Makes an embedded SQS without queues. Throws where the package has another form than the pinned one. */
export async function openQueueActions(): Promise<QueueActions> {
  const { SqsStore, SqsRouter } = { ...(await load('sqsStore')), ...(await load('sqsRouter')) }
  if (!isStoreClass(SqsStore) || !isRouterClass(SqsRouter)) throw new TypeError('the embedded SQS has another form')
  const store = new SqsStore()
  const router = new SqsRouter(store)
  for (const action of actions) {
    const name = `${action.charAt(0).toLowerCase()}${action.slice(1)}`
    const handler = (await load(`actions/${name}`))[name]
    if (typeof handler !== 'function') throw new TypeError(`the embedded SQS has no action ${action}`)
    router.register(action, handler)
  }
  return {
    inspectQueue: (name) => store.inspectQueue(name),
    shutdown: () => store.shutdown(),
    async call(action, body) {
      let status = 200
      const headers: Record<string, string> = {}
      const reply = {
        status: (code: number) => {
          status = code
        },
        header: (name: string, value: string) => {
          headers[name] = value
        },
      }
      const given = { host: 'localhost', 'content-type': contentType, 'x-amz-target': `AmazonSQS.${action}` }
      const result = await router.handle({ headers: given, body }, reply)
      return {
        status,
        headers: { ...headers, 'content-type': contentType },
        body: JSON.stringify(result ?? {}),
        result,
      }
    },
  }
}

const moduleOf = z.record(z.string(), z.unknown())

/** Loads a file of the package, which exports its HTTP server only. */
async function load(file: string): Promise<Record<string, unknown>> {
  const { href } = new URL(`sqs/${file}.js`, import.meta.resolve('fauxqs'))
  return z.parse(moduleOf, { ...(await import(href)) })
}

function isStoreClass(value: unknown): value is new () => Store {
  return typeof value === 'function' && typeof value.prototype?.inspectQueue === 'function'
}

function isRouterClass(value: unknown): value is new (store: Store) => Router {
  return typeof value === 'function' && typeof value.prototype?.handle === 'function'
}
