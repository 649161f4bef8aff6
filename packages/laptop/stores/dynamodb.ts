import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Table } from '../assembly/assembly.ts'
import { limited } from '../concurrency/places.ts'
import { type Backend, type ServiceAnswer, jsonAnswer } from '../gate/backend.ts'
import { freePort } from '../processes/free-port.ts'
import { PlainError } from '../processes/plain-error.ts'
import { Supervised } from '../processes/supervised.ts'
import { startTiedProgram } from '../processes/tied-program.ts'
import type { Signer } from '../signature/sign.ts'
import type { DynamoProgram } from './dynamo-program/choose-program.ts'
import { forwardTo } from './forward.ts'

/** A running store. */
export interface RunningStore {
  readonly backend: Backend
  /** Its address, if it is a program that trusts every process of this machine. */
  readonly url?: string
  close(): Promise<void>
}

/** Returns the signer for a store at a foreign address, which may verify signatures; the embedded one does not. */
export function signerFrom(env: NodeJS.ProcessEnv): Signer {
  return { accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? 'local', secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? 'local' }
}

/** Far longer than any start: a Java on a busy machine takes 20 s. */
const startMs = 60_000

/**
 * Starts a DynamoDB of this machine, as a program of its own, and keeps it running. Throws a plain sentence when the
 * program ends at once, or is still silent when `tooLate` aborts, by default after a minute; it is ended then.
 */
export async function startDynamo(
  { command, words, data }: DynamoProgram,
  logFile: string,
  tooLate = AbortSignal.timeout(startMs),
): Promise<RunningStore> {
  const port = await freePort()
  const start = () => startTiedProgram(command, words(port), logFile)
  const first = start()
  // It looks at no signature.
  const url = `http://127.0.0.1:${port}`
  const forwarder = forwardTo(url, 'dynamodb')
  const outcome = await firstAnswer(forwarder.backend, first.ended, tooLate)
  if (outcome !== 'up') {
    await forwarder.close()
    await first.stop()
    const problem = {
      ended: 'cannot be opened: it may be damaged, or its disk full',
      late: 'does not answer: its program was stopped',
    }
    throw new PlainError(`the store in ${data} ${problem[outcome]}; see ${logFile}`)
  }
  const ask = () => asked(forwarder.backend, 'ListTables', {})
  const program = new Supervised({ name: 'the store', logFile, start, ask }, first)
  const close = async (): Promise<void> => {
    await forwarder.close()
    await program.release()?.stop()
  }
  return { backend: inOneWrite(withRoomForReads(forwarder.backend)), url, close }
}

/** Writes that an embedded store gets at one time. It does one after another, so more would only wait inside it. */
const writesAtOnce = 4

const writeActions: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
])

/**
 * Sends an embedded store a few writes at one time, and each reading at once. It waits for the disk at each write, so
 * that a reading takes 5 ms behind four of them, and 27 ms behind sixteen.
 */
export function withRoomForReads(backend: Backend): Backend {
  const writing = limited(writesAtOnce)
  return (call) => (writeActions.has(call.action) ? writing(() => backend(call)) : backend(call))
}

/** DynamoDB's own limit for a transaction is 4 MB; whatever is larger stays a batch. */
const transactionBytes = 3 * 1024 * 1024

const write = z.object({
  PutRequest: z.optional(z.object({ Item: z.unknown() })),
  DeleteRequest: z.optional(z.object({ Key: z.unknown() })),
})
const batchWrite = z.object({ RequestItems: z.record(z.string(), z.array(write)) })

/**
 * Makes a transaction of each batch of writes. The embedded store waits for the disk once for a transaction, and once
 * for each item of a batch. A batch that is refused as a transaction is sent as it came.
 */
export function inOneWrite(backend: Backend): Backend {
  return async (call) => {
    const parsed = call.action === 'BatchWriteItem' ? z.safeParse(batchWrite, call.input) : undefined
    if (parsed?.success !== true || call.body.length > transactionBytes) return backend(call)
    const TransactItems = Object.entries(parsed.data.RequestItems).flatMap(([TableName, writes]) =>
      writes.map(({ PutRequest, DeleteRequest }) =>
        PutRequest === undefined ? { Delete: { TableName, ...DeleteRequest } } : { Put: { TableName, ...PutRequest } },
      ),
    )
    const answer = await asked(backend, 'TransactWriteItems', { TransactItems })
    return answer.status === 200 ? jsonAnswer({ UnprocessedItems: {} }) : backend(call)
  }
}

/** Returns the store at an address, which sentences call `name`. */
export async function connectDynamo(endpoint: string, signer: Signer, name = 'the DynamoDB'): Promise<RunningStore> {
  const forwarder = forwardTo(endpoint, 'dynamodb', signer)
  try {
    await asked(forwarder.backend, 'ListTables', {})
  } catch (error) {
    await forwarder.close()
    throw new PlainError(`${name} ${endpoint} does not answer`, { cause: error })
  }
  return forwarder
}

/** Makes the tables that are not there yet. */
export async function createTables(backend: Backend, tables: readonly Table[]): Promise<void> {
  await Promise.all(
    tables.map(async (table) => {
      const answer = await asked(backend, 'CreateTable', { TableName: table.name, ...table.definition })
      if (answer.status !== 200 && !String(answer.body).includes('ResourceInUseException')) {
        throw new Error(`table ${table.name} cannot be made: ${String(answer.body)}`)
      }
    }),
  )
}

function asked(backend: Backend, action: string, input: object): Promise<ServiceAnswer> {
  const body = Buffer.from(JSON.stringify(input))
  return backend({
    action,
    target: `DynamoDB_20120810.${action}`,
    contentType: 'application/x-amz-json-1.0',
    body,
    input,
  })
}

/**
 * Asks until the store answers, 20 ms apart; it is up within a tenth of a second, a Java one within two. `ended`: the
 * program did first; `late`: neither came before the signal.
 */
async function firstAnswer(
  backend: Backend,
  ended: Promise<unknown>,
  tooLate: AbortSignal,
): Promise<'up' | 'ended' | 'late'> {
  const over = ended.then(() => 'ended' as const)
  const late = aborted(tooLate).then(() => 'late' as const)
  for (;;) {
    const answered = asked(backend, 'ListTables', {}).then(
      () => 'up' as const,
      () => 'silent' as const,
    )
    const outcome = await Promise.race([over, late, answered])
    if (outcome !== 'silent') return outcome
    await delay(20)
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
