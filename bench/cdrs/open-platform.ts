import * as z from 'zod/mini'
import { openProcess } from './asked-process.ts'

const environment = z.record(z.string(), z.string())
const started = z.object({
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
  const opened = await openProcess(new URL('platform.ts', import.meta.url), [folder])
  return {
    ...z.parse(started, opened.started),
    async index(count) {
      await opened.ask({ index: count })
    },
    async pause() {
      return z.parse(z.object({ cpuMs: z.number() }), await opened.ask('pause')).cpuMs
    },
    close: () => opened.close(),
  }
}
