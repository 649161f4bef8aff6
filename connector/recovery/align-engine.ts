import type { GatewayAligner } from '../commands/apply-gateway.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { type Engine, type EngineLink, isReady } from '../runtime/engine.ts'
import type { Log } from '../../adapters/log/logger.ts'
import { commandLine } from '../commands/command-line.ts'

export interface CompareGatewaysDeps extends FlushDeps {
  readonly aligner: Pick<GatewayAligner, 'applyAll'>
  readonly signal?: AbortSignal
}

/** All gateways are compared this often while a link lasts. */
export const compareEveryMs = 3_600_000

/**
 * Brings an engine's gateways in line with those that are stored, after its command link came up: they may have changed
 * while no connector could reach it, and the platform may have been away when the engine started and asked. Tries again
 * until it is done or the link is lost. Never rejects.
 */
export async function compareGateways(deps: CompareGatewaysDeps): Promise<void> {
  const { aligner, link, timers, random, log, signal } = deps
  const compared = await retry(
    () => aligner.applyAll(link),
    { timers, random },
    {
      mayTry: () => isReady(link),
      ...(signal === undefined ? {} : { signal }),
      onFailure: (problem, failures) => {
        const reason = problem instanceof Error ? problem.name : ''
        if (failures === 1) log.warn('the gateways of an engine could not be compared', { reason })
      },
    },
  )
  const wrong = compared?.value ?? 0
  if (wrong > 0) log.warn('an engine does not have all gateways as they are stored', { gateways: wrong })
}

/**
 * Compares the gateways of engines each hour until aborted, so that a change whose order the queue refused is applied
 * as well. An engine whose link is down is compared when it is up again. Never rejects.
 */
export async function compareGatewaysEachHour(
  engines: readonly { readonly engine: Pick<Engine, 'name' | 'commands'> }[],
  deps: Omit<CompareGatewaysDeps, 'link' | 'signal'>,
  signal: AbortSignal,
): Promise<void> {
  // Each engine has hours of its own: one whose comparison fails again and again holds up no other.
  const follow = async ({ name, commands }: Pick<Engine, 'name' | 'commands'>) => {
    const own = { ...deps, link: commands, log: deps.log.with({ engine: name }), signal }
    for (;;) {
      await pause(deps.timers, compareEveryMs, signal)
      if (signal.aborted) return
      if (isReady(commands)) await compareGateways(own)
    }
  }
  await Promise.all(engines.map(({ engine }) => follow(engine)))
}

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
