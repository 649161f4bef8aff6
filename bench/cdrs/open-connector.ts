import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'
import { startOptions } from '../measured-server.ts'

/** Ends of legs by their numbers. */
export interface Ends {
  readonly from: number
  readonly count: number
}

/** A connector in a process of its own that relays ends of legs. */
export interface BenchConnector {
  /** Relays ends and resolves with the CPU milliseconds of it once the queue has all; rejects when the process ended. */
  relay(ends: Ends): Promise<number>
  close(): Promise<void>
}

/** Starts the connector of `connector.ts` with its environment. */
export async function openConnector(env: Readonly<Record<string, string>>): Promise<BenchConnector> {
  const child = fork(new URL('connector.ts', import.meta.url), [JSON.stringify(env)], { execArgv: startOptions })
  const exited = once(child, 'exit')
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, 'message'), exited.then(ended)])
    return message
  }
  await answer()
  return {
    async relay(ends) {
      const answered = answer()
      child.send(ends)
      return z.parse(z.object({ cpuMs: z.number() }), await answered).cpuMs
    },
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function ended(): never {
  throw new Error('the connector of the bench ended before it answered')
}
