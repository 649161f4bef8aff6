import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'

/** A receiver in a process of its own, on 127.0.0.1. */
export interface BenchSink {
  /** A URL that is answered after so many milliseconds. */
  urlAfter(ms: number): string
  close(): void
}

/** Starts a receiver. */
export async function openSink(): Promise<BenchSink> {
  const child = fork(new URL('sink-server.ts', import.meta.url))
  const [message] = await once(child, 'message')
  const { port } = z.parse(z.object({ port: z.int() }), message)
  return { urlAfter: (ms) => `http://127.0.0.1:${port}/${ms}`, close: () => void child.kill() }
}
