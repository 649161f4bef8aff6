import type { AdapterContext } from '../../../adapters/context.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type CloudGate, startCloudGate } from './cloud-gate.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { type QueueServer, startQueueServer } from './queue-server.ts'

/** The queues, with a gate in front that sees each call, and the environment of an adapter for them. */
export interface CloudQueues {
  readonly server: QueueServer
  readonly gate: CloudGate
  readonly context: AdapterContext
  close(): Promise<void>
}

/** Starts queues and gate. */
export async function openCloudQueues(): Promise<CloudQueues> {
  const server = await startQueueServer()
  const gate = await startCloudGate({ AmazonSQS: server.endpoint })
  return {
    server,
    gate,
    context: { env: { ...server.env, ...gate.env }, clock: movableClock(), random: systemRandomness },
    async close() {
      await gate.close()
      await server.close()
    },
  }
}
