import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'

const environment = z.record(z.string(), z.string())
const stores = z.object({
  storesUrl: z.string(),
  queueUrl: z.string(),
  batchSize: z.int(),
  maxConcurrency: z.optional(z.int()),
  /** The credentials of the worker's role. */
  credential: z.object({
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    sessionToken: z.string(),
    roleArn: z.string(),
  }),
  workerEnv: environment,
  connectorEnv: environment,
  /** May do everything. */
  platformEnv: environment,
})

/** Where the stores are, and what those who use them know. */
export type StoresOfBench = z.infer<typeof stores>

/** The stores of a laptop in a process of its own. */
export interface BenchStores extends StoresOfBench {
  /** CPU milliseconds of the process since its start. */
  cpuMs(): Promise<number>
  close(): Promise<void>
}

/** Starts the stores over a folder. */
export async function openStores(folder: string): Promise<BenchStores> {
  const child = fork(new URL('stores.ts', import.meta.url), [folder])
  const [message] = await Promise.race([once(child, 'message'), ended(child)])
  return {
    ...z.parse(stores, message),
    async cpuMs() {
      child.send('cpu')
      const [answer] = await once(child, 'message')
      return z.parse(z.object({ cpuMs: z.number() }), answer).cpuMs
    },
    async close() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

async function ended(child: ReturnType<typeof fork>): Promise<never> {
  await once(child, 'exit')
  throw new Error('the stores ended before they were open')
}
