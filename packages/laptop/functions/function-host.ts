import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { LambdaFunction } from '../assembly/assembly.ts'
import { isTooLargeAnswer } from './answer-size.ts'
import type { Environment } from './function-environment.ts'
import type { FromThread, HostedFunction, ToThread } from './thread-messages.ts'

/** A function did not answer: it threw, ran out of time, or its thread went down. */
export class FunctionFailed extends Error {
  override readonly name = 'FunctionFailed'
  readonly reason: 'error' | 'timeout' | 'crash'

  constructor(reason: 'error' | 'timeout' | 'crash', message: string) {
    super(message)
    this.reason = reason
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: FunctionFailed) => void
  readonly timer: NodeJS.Timeout
}

/** The time for which the thread may leave a message unread before it counts as stuck in a loop. */
const stuckAfterMs = 3000
/**
 * More heap than this ends the thread, not the platform. Loaded modules take 85 MB of it; what else is in it are
 * objects that a busy machine has not yet collected, which fill whatever the heap may have.
 */
const maxHeapMb = 144
/** Young objects get 8 MB a space, as in the main thread: three spaces. */
const maxYoungMb = 24

/** How functions are hosted. */
export interface HostOptions {
  environmentOf(definition: LambdaFunction): Environment
  readonly log: Writable
  /** More heap than this ends the thread; absent: 144 MB. */
  readonly heapMb?: number
}

/** Runs the functions of an assembly in one thread that is started again when it goes down. */
export class FunctionHost {
  readonly #hosted: readonly HostedFunction[]
  readonly #timeouts: ReadonlyMap<string, number>
  readonly #log: Writable
  readonly #heapMb: number
  readonly #waiting = new Map<number, Waiting>()
  readonly #stuck = new Map<number, NodeJS.Timeout>()
  #worker: Worker | undefined
  #lastId = 0
  #closed = false

  constructor(functions: readonly LambdaFunction[], options: HostOptions) {
    this.#hosted = functions.map((definition) => hostedFunction(definition, options.environmentOf(definition)))
    this.#timeouts = new Map(functions.map(({ name, timeoutSeconds }) => [name, timeoutSeconds * 1000]))
    this.#log = options.log
    this.#heapMb = options.heapMb ?? maxHeapMb
    this.#start()
  }

  /** Calls a function. Rejects with {@link FunctionFailed}, at once when the host is closed. */
  invoke(name: string, event: unknown): Promise<unknown> {
    if (this.#closed) return Promise.reject(new FunctionFailed('crash', 'the platform is stopping'))
    const timeoutMs = this.#timeouts.get(name) ?? 3000
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(id, `Task timed out after ${timeoutMs / 1000} seconds`), timeoutMs)
      this.#waiting.set(id, { resolve, reject, timer })
      this.#send({ kind: 'invoke', id, name, event, requestId: randomUUID(), deadlineAt: Date.now() + timeoutMs })
    })
  }

  /** Ends the thread; what still runs fails. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
  }

  #giveUp(id: number, message: string): void {
    this.#take(id)?.reject(new FunctionFailed('timeout', message))
    this.#send({ kind: 'ask', id })
    this.#stuck.set(
      id,
      setTimeout(() => void this.#worker?.terminate(), stuckAfterMs),
    )
  }

  #start(): void {
    const worker = new Worker(new URL('thread.ts', import.meta.url), {
      workerData: this.#hosted,
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb, maxYoungGenerationSizeMb: maxYoungMb },
    })
    worker.stdout.pipe(this.#log, { end: false })
    worker.stderr.pipe(this.#log, { end: false })
    worker.on('message', (message: FromThread) => this.#receive(message))
    worker.on('error', (error: Error) => this.#log.write(`functions: ${error.stack ?? error.message}\n`))
    // One that cannot even begin is not tried in a loop.
    let hasBegun = false
    worker.once('online', () => (hasBegun = true))
    worker.once('exit', () => (hasBegun ? this.#restart() : setTimeout(() => this.#restart(), 1000)))
    this.#worker = worker
  }

  #restart(): void {
    for (const timer of this.#stuck.values()) clearTimeout(timer)
    this.#stuck.clear()
    for (const id of this.#waiting.keys()) {
      this.#take(id)?.reject(new FunctionFailed('crash', 'the thread that runs functions went down'))
    }
    if (!this.#closed) this.#start()
  }

  #receive(message: FromThread): void {
    if (message.kind === 'alive') {
      clearTimeout(this.#stuck.get(message.id))
      this.#stuck.delete(message.id)
    } else if (message.kind === 'done') this.#finish(message)
    else this.#take(message.id)?.reject(new FunctionFailed('error', `${message.errorType}: ${message.message}`))
  }

  #finish({ id, value }: FromThread & { readonly kind: 'done' }): void {
    const waiting = this.#take(id)
    if (waiting === undefined) return
    if (!isTooLargeAnswer(value)) {
      waiting.resolve(value)
      return
    }
    const problem = 'Function.ResponseSizeTooLarge: a function answers 6 MB at most'
    this.#log.write(`functions: ${problem}\n`)
    waiting.reject(new FunctionFailed('error', problem))
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    clearTimeout(waiting?.timer)
    this.#waiting.delete(id)
    return waiting
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message)
  }
}

function hostedFunction(definition: LambdaFunction, environment: Environment): HostedFunction {
  const [file = '', exportName = 'handler'] = definition.handler.split('.')
  const path = ['cjs', 'js'].map((ending) => join(definition.directory, `${file}.${ending}`)).find(existsSync)
  if (path === undefined) throw new Error(`function ${definition.name} has no file ${file} in its bundle`)
  return {
    name: definition.name,
    arn: definition.arn,
    path,
    exportName,
    environment,
    memoryMb: definition.memoryMb,
  }
}
