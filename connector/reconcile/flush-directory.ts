import type { Log } from '../../adapters/log/logger.ts'
import { commandLine } from '../commands/command-line.ts'
import { type EngineLink, isReady } from '../runtime/engine.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time } from '../../core/concurrency/timers.ts'

export interface FlushDeps extends Pick<Time, 'timers'> {
  readonly link: Pick<EngineLink, 'api' | 'state'>
  readonly random: () => number
  readonly log: Log
}

/**
 * Makes an engine forget every directory record, after its command link came up: accounts may have changed while no
 * connector could tell it so. Tries again until it is done or the link is lost; the next link begins anew. Never
 * rejects.
 */
export async function flushDirectory({ link, timers, random, log }: FlushDeps): Promise<void> {
  await retry(
    () => link.api(commandLine({ kind: 'flush-directory' }, null)),
    { timers, random },
    {
      mayTry: () => isReady(link),
      onFailure: (problem, failures) => {
        if (failures === 1)
          log.warn('the directory cache of an engine could not be flushed', { reason: nameOf(problem) })
      },
    },
  )
}

function nameOf(problem: unknown): string {
  return problem instanceof Error ? problem.name : ''
}
