/**
 * The thread that functions run in. Like the cloud, it keeps instances of each function: a copy of its module that
 * works on one event at a time, made when all others are busy and used again afterwards.
 */
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod/mini'
import { installFunctionEnvironment, runWithEnvironment } from './function-environment.ts'
import type { FromThread, HostedFunction } from './thread-messages.ts'

type Handler = (event: unknown, context: object) => unknown

interface Instance {
  readonly handler: Handler
  readonly environment: Record<string, string>
}

const hosted = z.object({
  name: z.string(),
  arn: z.string(),
  moduleUrl: z.string(),
  exportName: z.string(),
  environment: z.record(z.string(), z.string()),
  memoryMb: z.number(),
})

const message = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('invoke'),
    id: z.number(),
    name: z.string(),
    requestId: z.string(),
    deadlineAt: z.number(),
    event: z.unknown(),
  }),
  z.object({ kind: z.literal('abandon'), id: z.number() }),
])

type Invocation = Extract<z.infer<typeof message>, { kind: 'invoke' }>

const functions = new Map(z.parse(z.array(hosted), workerData).map((item) => [item.name, item]))
const idle = new Map<string, Instance[]>()
const abandoned = new Set<number>()
const running = new Set<number>()
let copies = 0

installFunctionEnvironment()
parentPort?.on('message', (received: unknown) => {
  const parsed = z.parse(message, received)
  if (parsed.kind === 'invoke') void invoke(parsed)
  else {
    if (running.has(parsed.id)) abandoned.add(parsed.id)
    send({ kind: 'abandoned', id: parsed.id })
  }
})

async function invoke(invocation: Invocation): Promise<void> {
  const { id, name } = invocation
  running.add(id)
  try {
    const definition = functions.get(name)
    if (definition === undefined) throw new Error(`no function ${name}`)
    const instance = idle.get(name)?.pop() ?? (await makeInstance(definition))
    const context = contextOf(definition, invocation)
    try {
      const value = await runWithEnvironment(instance.environment, () => instance.handler(invocation.event, context))
      send({ kind: 'done', id, value: asJson(value) })
    } finally {
      if (!abandoned.delete(id)) idle.set(name, [...(idle.get(name) ?? []), instance])
    }
  } catch (error) {
    const { name: errorType, message: text } = error instanceof Error ? error : new Error(String(error))
    send({ kind: 'failed', id, errorType, message: text })
  } finally {
    running.delete(id)
  }
}

/** A fresh copy of the module: the query makes another address of it, and the environment is its own from line one. */
async function makeInstance(definition: HostedFunction): Promise<Instance> {
  copies += 1
  const environment = { ...definition.environment }
  const url = `${definition.moduleUrl}?copy=${copies}`
  const loaded: unknown = await runWithEnvironment(environment, () => import(url))
  const handler = isObject(loaded) ? loaded[definition.exportName] : undefined
  if (!isHandler(handler)) throw new Error(`${definition.moduleUrl} exports no function ${definition.exportName}`)
  return { handler, environment }
}

function contextOf(definition: HostedFunction, { requestId, deadlineAt }: Invocation): object {
  return {
    awsRequestId: requestId,
    functionName: definition.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: definition.arn,
    memoryLimitInMB: String(definition.memoryMb),
    logGroupName: `/aws/lambda/${definition.name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadlineAt - Date.now()),
  }
}

/**
 * What the cloud would hand back: the result as it looks after being written as JSON. A text looks as before, so the
 * body of an answer, which may have megabytes, is spared the way there and back.
 */
function asJson(value: unknown): unknown {
  if (isObject(value) && typeof value['body'] === 'string' && !('toJSON' in value)) {
    const { body, ...rest } = value
    return { ...Object(asJson(rest)), body }
  }
  const text = JSON.stringify(value)
  return text === undefined ? null : JSON.parse(text)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

function send(answer: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage(answer)
}
