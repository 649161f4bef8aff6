import { deliverSlowly } from '../../contracts/workers.ts'
import { worker } from '../worker.ts'
import { limited } from '../../core/concurrency/semaphore.ts'
import { attemptAdapters, callingGently, makeAttempt, sharingReads } from './make-attempt.ts'

/** Enough for 50 attempts a second with calls of 10 ms each. */
const few = limited(3)

export const handler = worker(
  deliverSlowly,
  attemptAdapters,
  (message, ports, tools) => makeAttempt(message, ports, tools, true),
  { portsOfBatch: (ports) => sharingReads(callingGently(ports, few)) },
)
