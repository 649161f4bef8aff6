import type { Needs } from '../core/ports.ts'
import type { QueueName } from './resources.ts'

/** The one declaration of a function that a queue calls. */
export interface Worker {
  /** Unique; also the name of the handler file, in kebab case. */
  readonly name: string
  /** Folder of the handler, nested stack of the function. */
  readonly group: string
  readonly summary: string
  readonly queue: QueueName
  /** Messages a call; SQS gives FIFO queues at most ten. */
  readonly batchSize: number
  /** Batches that are worked on at once; SQS event sources allow 2 to 1000. */
  readonly maxConcurrency: number
  readonly timeoutSeconds: number
  readonly needs: Needs
}

function worker<const W extends Worker>(declaration: W): W {
  return declaration
}

/** Matches events against the hooks of their domain and writes one delivery for each match. */
export const hookDispatch = worker({
  name: 'hookDispatch',
  group: 'hooks',
  summary: 'Match an event against the hooks of its domain',
  queue: 'events',
  batchSize: 10,
  maxConcurrency: 50,
  timeoutSeconds: 30,
  needs: {
    hooks: ['list'],
    eventLogWriter: ['take', 'write'],
    deliveries: ['keepEvent', 'create', 'read'],
    deliveryQueue: ['send'],
  },
})

/** What one attempt works with. */
const attemptNeeds = {
  hooks: ['read', 'replace', 'countFailure', 'clearFailures', 'noteSpeed', 'endNotice', 'renewNotice'],
  deliveries: ['read', 'readEvent', 'beginAttempt', 'recordAttempt', 'reschedule'],
  deliveryQueue: ['send'],
  rateLimits: ['enter', 'leave'],
  hookClient: ['send'],
  secretBox: ['open'],
  events: ['publish'],
  emailSettings: ['read'],
  mail: ['send'],
} as const satisfies Needs

/**
 * Makes one attempt for each message; those of a batch run beside each other. A batch is busy until its slowest is over,
 * which is why the attempts of receivers that are known as slow have a queue and a function of their own.
 */
export const deliver = worker({
  name: 'deliver',
  group: 'hooks',
  summary: 'Make one attempt to deliver an event to a hook',
  queue: 'deliveries',
  batchSize: 10,
  maxConcurrency: 100,
  timeoutSeconds: 60,
  needs: attemptNeeds,
})

/** The same for receivers that take seconds to answer. */
export const deliverSlowly = worker({
  name: 'deliverSlowly',
  group: 'hooks',
  summary: 'Make one attempt to deliver an event to a hook whose receiver is slow',
  queue: 'slowDeliveries',
  batchSize: 10,
  maxConcurrency: 100,
  timeoutSeconds: 60,
  needs: attemptNeeds,
})

/** Takes ended legs, and what else changes CDRs, into the index of CDRs. */
export const cdrIndex = worker({
  name: 'cdrIndex',
  group: 'cdr',
  summary: 'Take the ends of calls into the index of CDRs',
  queue: 'cdrs',
  batchSize: 10,
  maxConcurrency: 20,
  timeoutSeconds: 60,
  needs: {
    cdrs: ['index', 'setRecordings'],
    domains: ['read', 'readDeleted'],
    recordings: ['list'],
  },
})

/** Writes exports of CDRs, each in runs of minutes. */
export const writeExport = worker({
  name: 'writeExport',
  group: 'cdr',
  summary: 'Write an export of CDRs to its file',
  queue: 'exports',
  batchSize: 1,
  maxConcurrency: 4,
  timeoutSeconds: 300,
  needs: {
    exports: ['read', 'replace'],
    exportQueue: ['send'],
    exportFiles: ['beginUpload', 'putPart', 'listParts', 'completeUpload', 'put', 'head'],
    cdrs: ['search'],
  },
})

/** Removes what a deleted domain leaves. */
export const cleanUpDomain = worker({
  name: 'cleanUpDomain',
  group: 'domains',
  summary: 'Remove what a deleted domain leaves',
  queue: 'cleanups',
  batchSize: 1,
  maxConcurrency: 2,
  timeoutSeconds: 300,
  needs: {
    domains: ['readDeleted', 'endDeletion'],
    remains: ['sweep'],
    cleanups: ['send'],
    engine: ['run'],
    recordings: ['leave'],
  },
})

/** Every queue worker. */
export const workers: readonly Worker[] = [hookDispatch, deliver, deliverSlowly, cdrIndex, writeExport, cleanUpDomain]
