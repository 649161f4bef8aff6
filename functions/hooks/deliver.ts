import { deliver } from '../../contracts/workers.ts'
import { worker } from '../worker.ts'
import { attemptAdapters, makeAttempt, sharingReads } from './make-attempt.ts'

export const handler = worker(
  deliver,
  attemptAdapters,
  (message, ports, tools) => makeAttempt(message, ports, tools, false),
  { portsOfBatch: sharingReads },
)
