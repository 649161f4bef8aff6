import * as z from 'zod/mini'
import { openProcess } from './asked-process.ts'

/** Ends of legs by their numbers. */
export interface Ends {
  readonly from: number
  readonly count: number
}

/** A connector in a process of its own that relays ends of legs. */
export interface BenchConnector {
  /**
   * Relays ends and resolves with the CPU milliseconds of it once the queue has all; rejects when the process ended.
   */
  relay(ends: Ends): Promise<number>
  close(): Promise<void>
}

/** Starts the connector of `connector.ts` with its environment. */
export async function openConnector(env: Readonly<Record<string, string>>): Promise<BenchConnector> {
  const opened = await openProcess(new URL('connector.ts', import.meta.url), [JSON.stringify(env)])
  return {
    relay: async (ends) => z.parse(z.object({ cpuMs: z.number() }), await opened.ask(ends)).cpuMs,
    close: () => opened.close(),
  }
}
