/**
 * The thread that functions run in. Each function has at most one copy of its module, which works on all of its events
 * concurrently. Idle copies are unloaded, the least recently used first, so the memory that modules take is bounded.
 */
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod/mini'
import { installFunctionEnvironment, runWithEnvironment } from './function-environment.ts'
import type { FromThread, HostedFunction } from './thread-messages.ts'

type Handler = (event: unknown, context: object) => unknown

interface Copy {
  readonly handler: Handler
  readonly environment: Record<string, string>
  running: number
}

/** Functions that are loaded at one time, some 3.5 MB each; more only while all of them are at work. */
const maxLoaded = 20

const hosted = z.object({
  name: z.string(),
  arn: z.string(),
  path: z.string(),
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
/** In the order of their last use, the oldest first. */
const copies = new Map<string, Copy>()

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
    const value = await call(definition, invocation)
    send({ kind: 'done', id, value: asJson(value) })
  } catch (error) {
    const { name: errorType, message: text } = error instanceof Error ? error : new Error(String(error))
    send({ kind: 'failed', id, errorType, message: text })
  }
}

async function call(definition: HostedFunction, invocation: Invocation): Promise<unknown> {
  const copy = copies.get(definition.name) ?? load(definition)
  copies.delete(definition.name)
  copies.set(definition.name, copy)
  copy.running += 1
  unloadIdle()
  try {
    const context = contextOf(definition, invocation)
    return await runWithEnvironment(copy.environment, () => copy.handler(invocation.event, context))
  } finally {
    copy.running -= 1
  }
}

/** Loads a module, which sees its own environment from its first line on. */
function load(definition: HostedFunction): Copy {
  const { path, exportName } = definition
  const environment = { ...definition.environment }
  // The cache and the requiring module keep what they loaded; without them only the copy keeps the module in memory.
  const require = createRequire(path)
  const loaded: unknown = runWithEnvironment(environment, () => require(path))
  delete require.cache[path]
  const handler = isObject(loaded) ? loaded[exportName] : undefined
  if (!isHandler(handler)) throw new Error(`${path} exports no function ${exportName}`)
  return { handler, environment, running: 0 }
}

function unloadIdle(): void {
  for (const [name, { running }] of copies) {
    if (copies.size <= maxLoaded) return
    if (running === 0) copies.delete(name)
  }
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
 * Returns a result as the cloud would: converted to JSON and back. Text does not change, so the body of an answer,
 * which may have megabytes, is not converted.
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
  parentPort?.postMessage(answer)
}
