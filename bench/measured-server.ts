import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'

/** A server in a process of its own, whose CPU time is measured. */
export interface MeasuredServer {
  readonly child: ChildProcess
  readonly address: string
  readonly message: unknown
}

/** The options of Node with which `npm start` runs the gateway: rarer collections change what each request costs. */
export const startOptions = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=8',
  '--heap-growing-percent=40',
]

/** Starts a server from its file, with the options of `npm start`, and waits for its address. */
export async function openServer(file: URL, words: readonly string[]): Promise<MeasuredServer> {
  const child = fork(file, words, { execArgv: startOptions })
  const [message] = await once(child, 'message')
  return { child, message, address: z.parse(z.object({ address: z.string() }), message).address }
}

/** Returns the CPU milliseconds that a server spends while work is done. */
export async function cpuDuring({ child }: MeasuredServer, work: () => Promise<void>): Promise<number> {
  const before = await cpuTime(child)
  await work()
  return (await cpuTime(child)) - before
}

/** Answers the question of {@link cpuDuring} in the server's process. */
export function tellCpuTime(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMs: (user + system) / 1000 })
  })
}

async function cpuTime(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [message] = await once(child, 'message')
  return z.parse(z.object({ cpuMs: z.number() }), message).cpuMs
}
