import { deliverSlowly } from '../../contracts/workers.ts'
import { worker } from '../worker.ts'
import { attemptAdapters, makeAttempt, sharingReads } from './make-attempt.ts'

export const handler = worker(
  deliverSlowly,
  attemptAdapters,
  (message, ports, tools) => makeAttempt(message, ports, tools, true),
  { portsOfBatch: sharingReads },
)
