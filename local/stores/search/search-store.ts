import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import * as z from 'zod/mini'
import { PlainError, type SearchReply, type SearchRequest } from '@callplane/laptop'

/** The running search server. */
export interface SearchStore {
  answer(request: SearchRequest): Promise<SearchReply>
  close(): Promise<void>
}

/** Requests that may wait for the thread; OpenSearch's own queue of searches has 1000. */
const maxWaiting = 1_000

const tooMany: SearchReply = {
  status: 429,
  body: '{"error":{"type":"opensearch_rejected_execution_exception","reason":"too many requests wait"},"status":429}',
}

const ended: SearchReply = {
  status: 503,
  body: '{"error":{"type":"node_closed_exception","reason":"the search server has ended"},"status":503}',
}

/**
 * Starts the embedded OpenSearch: the part of it that the platform uses, over a file, in a thread of its own. When the
 * thread dies, its requests are answered with 503, and the next request starts a new one.
 */
export async function startEmbeddedSearch(file: string): Promise<SearchStore> {
  let running = Promise.resolve(await openThread(file))
  let isClosed = false
  return {
    async answer(request) {
      const found = running
      let thread = await found.catch(() => undefined)
      if (isClosed) return ended
      if (thread === undefined || thread.isOver()) {
        // The first caller opens it; the others wait for the same one.
        if (running === found) running = openThread(file)
        thread = await running.catch(() => undefined)
      }
      return thread?.answer(request) ?? ended
    },
    async close() {
      isClosed = true
      await (await running.catch(() => undefined))?.close()
    },
  }
}

interface Thread extends SearchStore {
  isOver(): boolean
}

const reply = z.union([z.object({ id: z.number(), status: z.number(), body: z.string() }), z.literal('open')])

/** Node says of every process that uses it that its SQLite is new. */
const execArgv = ['--disable-warning=ExperimentalWarning']

/** Aggregations are what takes memory; above this the thread goes down instead of the platform. */
const resourceLimits = { maxOldGenerationSizeMb: 192 }

async function openThread(file: string): Promise<Thread> {
  const waiting = new Map<number, (reply: SearchReply) => void>()
  let [last, isOpen, isOver] = [0, false, false]
  const worker = new Worker(new URL('./search-thread.ts', import.meta.url), {
    workerData: { file },
    execArgv,
    resourceLimits,
  })
  const opened = new Promise<void>((resolve, reject) => {
    worker.on('message', (received: unknown) => {
      const parsed = z.parse(reply, received)
      if (parsed === 'open') return resolve()
      const { id, ...answer } = parsed
      waiting.get(id)?.(answer)
      waiting.delete(id)
    })
    worker.on('error', (cause) => {
      if (isOpen) console.error(`search store: ${cause instanceof Error ? cause.message : String(cause)}`)
      reject(new PlainError(`the search store in ${file} cannot be opened: it may be damaged`, { cause }))
    })
    worker.on('exit', () => {
      isOver = true
      for (const resolve of waiting.values()) resolve(ended)
      waiting.clear()
    })
  })
  await opened
  isOpen = true
  return {
    isOver: () => isOver,
    answer(request) {
      if (isOver) return Promise.resolve(ended)
      if (waiting.size >= maxWaiting) return Promise.resolve(tooMany)
      last += 1
      const id = last
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        worker.postMessage({ id, ...request })
      })
    },
    async close() {
      if (isOver) return
      const exited = once(worker, 'exit')
      worker.postMessage('close')
      await exited
    },
  }
}
