/**
 * The thread that functions run in. It keeps one copy of each function's module, made at the first call, which works on
 * all events of the function concurrently. So the memory that modules take does not depend on how many requests come.
 */
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod/mini'
import { installFunctionEnvironment, runWithEnvironment } from './function-environment.ts'
import type { FromThread, HostedFunction } from './thread-messages.ts'

type Handler = (event: unknown, context: object) => unknown

/** A loaded function. */
interface Copy {
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
  z.object({ kind: z.literal('ask'), id: z.number() }),
])

type Invocation = Extract<z.infer<typeof message>, { kind: 'invoke' }>

const functions = new Map(z.parse(z.array(hosted), workerData).map((item) => [item.name, item]))
const copies = new Map<string, Promise<Copy>>()
let loads = 0

installFunctionEnvironment()
parentPort?.on('message', (received: unknown) => {
  const parsed = z.parse(message, received)
  if (parsed.kind === 'invoke') void invoke(parsed)
  else send({ kind: 'alive', id: parsed.id })
})

async function invoke(invocation: Invocation): Promise<void> {
  const { id, name } = invocation
  try {
    const definition = functions.get(name)
    if (definition === undefined) throw new Error(`no function ${name}`)
    const { handler, environment } = await copyOf(definition)
    const context = contextOf(definition, invocation)
    const value = await runWithEnvironment(environment, () => handler(invocation.event, context))
    send({ kind: 'done', id, value: asJson(value) })
  } catch (error) {
    const { name: errorType, message: text } = error instanceof Error ? error : new Error(String(error))
    send({ kind: 'failed', id, errorType, message: text })
  }
}

/** Returns the copy that all calls of a function share. The call after a failed load tries to load it again. */
function copyOf(definition: HostedFunction): Promise<Copy> {
  const known = copies.get(definition.name)
  if (known !== undefined) return known
  const loading = load(definition)
  copies.set(definition.name, loading)
  loading.catch(() => copies.delete(definition.name))
  return loading
}

/** Loads a module. The query gives it an address of its own, and the environment is its own from the first line on. */
async function load(definition: HostedFunction): Promise<Copy> {
  loads += 1
  const environment = { ...definition.environment }
  const url = `${definition.moduleUrl}?load=${loads}`
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
