import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'
import { startOptions } from '../measured-server.ts'

const environment = z.record(z.string(), z.string())
const started = z.object({
  /** The environment of the function that indexes. */
  functionEnv: environment,
  connectorEnv: environment,
  /** May do everything. */
  platformEnv: environment,
})

/** The environments of those who use the stores of the platform. */
export type PlatformEnvironments = z.infer<typeof started>

/** The part of a laptop's platform that indexes CDRs, in a process of its own. */
export interface CdrPlatform extends PlatformEnvironments {
  /** Starts the poller of the queue of CDRs; resolves once so many messages are done with. */
  index(count: number): Promise<void>
  /** Stops the poller; resolves with the CPU milliseconds of the process since the poller started. */
  pause(): Promise<number>
  close(): Promise<void>
}

/** Starts the process of `platform.ts` over a folder. */
export async function openPlatform(folder: string): Promise<CdrPlatform> {
  const child = fork(new URL('platform.ts', import.meta.url), [folder], { execArgv: startOptions })
  const exited = once(child, 'exit')
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, 'message'), exited.then(ended)])
    return message
  }
  return {
    ...z.parse(started, await answer()),
    async index(count) {
      const answered = answer()
      child.send({ index: count })
      await answered
    },
    async pause() {
      const answered = answer()
      child.send('pause')
      return z.parse(z.object({ cpuMs: z.number() }), await answered).cpuMs
    },
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function ended(): never {
  throw new Error('the platform of the bench ended before it answered')
}
