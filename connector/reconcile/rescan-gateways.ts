import { retry } from '../../core/concurrency/retry.ts'
import { rescanLine } from '../commands/command-line.ts'
import { isReady } from '../runtime/engine.ts'
import type { FlushDeps } from './flush-directory.ts'

/**
 * Makes an engine ask for the gateways that it lacks, after its command link came up: it asks by itself only when it starts,
 * and the platform may have been away then. Tries again until it is done or the link is lost. Never rejects.
 */
export async function rescanGateways({ link, timers, random }: Omit<FlushDeps, 'log'>): Promise<void> {
  await retry(() => link.api(rescanLine), { timers, random }, { mayTry: () => isReady(link) })
}
