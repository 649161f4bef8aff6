import type { GatewayAligner } from '../commands/apply-gateway.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { isReady } from '../runtime/engine.ts'
import type { FlushDeps } from './flush-directory.ts'

export interface CompareGatewaysDeps extends FlushDeps {
  readonly aligner: Pick<GatewayAligner, 'applyAll'>
}

/**
 * Brings an engine's gateways in line with those that are stored, after its command link came up: they may have changed
 * while no connector could reach it, and the platform may have been away when the engine started and asked. Tries again
 * until it is done or the link is lost. Never rejects.
 */
export async function compareGateways({ aligner, link, timers, random, log }: CompareGatewaysDeps): Promise<void> {
  const compared = await retry(
    () => aligner.applyAll(link),
    { timers, random },
    {
      mayTry: () => isReady(link),
      onFailure: (problem, failures) => {
        const reason = problem instanceof Error ? problem.name : ''
        if (failures === 1) log.warn('the gateways of an engine could not be compared', { reason })
      },
    },
  )
  const wrong = compared?.value ?? 0
  if (wrong > 0) log.warn('an engine does not have all gateways as they are stored', { gateways: wrong })
}
