/** The thread in which the search server works: a long search holds up no other part of the platform. */
import { parentPort, workerData } from 'node:worker_threads'
import * as z from 'zod/mini'
import { answerRequest } from './answer-request.ts'
import { openDatabase } from './database.ts'

const message = z.union([
  z.object({ id: z.number(), method: z.string(), path: z.string(), query: z.string(), body: z.string() }),
  z.literal('close'),
])

const database = openDatabase(z.parse(z.object({ file: z.string() }), workerData).file)

parentPort?.on('message', (received: unknown) => {
  const parsed = z.parse(message, received)
  if (parsed === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  send({ id: parsed.id, ...replyTo(parsed) })
})
send('open')

function replyTo(request: Exclude<z.infer<typeof message>, 'close'>): { status: number; body: string } {
  try {
    return answerRequest(database, request)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { status: 500, body: JSON.stringify({ error: { type: 'exception', reason }, status: 500 }) }
  }
}

function send(answer: object | 'open'): void {
  parentPort?.postMessage(answer)
}
