import type { SQSEvent } from 'aws-lambda'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { CdrUpdate } from '../../../core/cdr/cdr-update.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler } from '../../../functions/cdr/cdr-index.ts'
import { aContext } from './api.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { type Moment, dying } from '../processes/dying.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { aBatch } from '../records/queue-batch.ts'
import { aDomain } from '../records/records.ts'

/** The function that indexes CDRs, over memory. */
export interface CdrHarness {
  readonly ports: MemoryPorts
  readonly log: ReturnType<typeof capturedLog>
  /** Gives the function a batch; answers the updates that must come again, by id. */
  take(updates: readonly (CdrUpdate | string)[], given?: { ports?: MemoryPorts; moment?: Moment }): Promise<string[]>
  /** Gives it what comes again until nothing does. */
  takeAll(updates: readonly CdrUpdate[]): Promise<void>
  /** Every CDR that is stored, by domain and uuid. */
  cdrs(): Cdr[]
}

/** Makes a harness with the domains `a.example.com` and `b.example.com`. */
export async function aCdrHarness(): Promise<CdrHarness> {
  const clock = movableClock()
  const log = capturedLog()
  const tools = { clock, random: systemRandomness, log, settings: readSettings({}) }
  const ports = memoryPorts(tools)
  for (const name of ['a.example.com', 'b.example.com']) await ports.domains.create(aDomain({ name, createdAt: 0 }))

  const take: CdrHarness['take'] = async (updates, { ports: own = ports, moment } = {}) => {
    const over = moment === undefined ? own : dying(own, moment).ports
    const { batchItemFailures } = await handler.over(over, tools)(batchOf(updates), aContext)
    const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    return updates.flatMap((one, index) =>
      again.has(`message-${index}`) ? [typeof one === 'string' ? one : one.id] : [],
    )
  }
  return {
    ports,
    log,
    take,
    takeAll: async (updates) => {
      for (let left = updates; left.length > 0; ) {
        const again = new Set(await take(left))
        left = left.filter(({ id }) => again.has(id))
      }
    },
    cdrs: () => [...ports.state.cdrs.values()].map(({ cdr }) => cdr),
  }
}

/** Each of its leg's group, as in the queue. */
function batchOf(updates: readonly (CdrUpdate | string)[]): SQSEvent {
  return aBatch(
    updates.map((one) => (typeof one === 'string' ? one : { version: 1, ...one })),
    updates.map((one, index) => (typeof one === 'string' ? `group-${index}` : one.uuid)),
  )
}
