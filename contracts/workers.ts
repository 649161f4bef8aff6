import type { Needs } from './ports.ts'
import type { QueueName } from './resources.ts'

/** The one declaration of a function that a queue calls. */
export interface Worker {
  /** Unique; also the name of the handler file, in kebab case. */
  readonly name: string
  /** Folder of the handler. */
  readonly group: string
  readonly summary: string
  readonly queue: QueueName
  /** Messages for each call; SQS gives FIFO queues at most ten. */
  readonly batchSize: number
  /** Batches that are processed at once; SQS event sources allow 2 to 1000. */
  readonly maxConcurrency: number
  readonly timeoutSeconds: number
  readonly needs: Needs
}

function worker<const W extends Worker>(declaration: W): W {
  return declaration
}

/**
 * Matches events against the hooks of their domain, writes one delivery for each match, and makes the first attempts. A
 * domain has four batches at a time whose answers are waited for, and a batch goes on until its slowest attempt is
 * over.
 */
export const hookDispatch = worker({
  name: 'hookDispatch',
  group: 'hooks',
  summary: 'Match an event against the hooks of its domain',
  queue: 'events',
  batchSize: 10,
  maxConcurrency: 200,
  timeoutSeconds: 30,
  needs: {
    hooks: ['list', 'replace', 'countFailure', 'clearFailures', 'noteLate'],
    receivedEvents: ['ack'],
    eventLogWriter: ['take', 'write'],
    deliveries: ['keepEvent', 'create', 'createTogether', 'read', 'recordAttempt', 'recordTogether', 'reschedule'],
    deliveryQueue: ['send'],
    hookClient: ['send'],
    secretBox: ['open'],
    connectorStatus: ['noteWait'],
  },
})

/** The log line of a delivery that failed for good; a metric filter counts it by its `domain`. */
export const failedDelivery = 'delivery failed'

/** Makes one attempt for each message; the attempts of a batch run concurrently. */
export const deliver = worker({
  name: 'deliver',
  group: 'hooks',
  summary: 'Make one attempt to deliver an event to a hook',
  queue: 'deliveries',
  batchSize: 10,
  maxConcurrency: 200,
  timeoutSeconds: 60,
  needs: {
    hooks: ['read', 'replace', 'countFailure', 'clearFailures', 'endNotice', 'renewNotice'],
    deliveries: ['read', 'readEvent', 'beginAttempt', 'recordAttempt', 'reschedule'],
    deliveryQueue: ['send'],
    hookClient: ['send'],
    secretBox: ['open'],
    events: ['publish'],
    emailSettings: ['read'],
    mail: ['send'],
    connectorStatus: ['noteWait'],
  },
})

/** Writes ended legs, and other changes of CDRs, to the index of CDRs. */
export const cdrIndex = worker({
  name: 'cdrIndex',
  group: 'cdr',
  summary: 'Take the ends of calls into the index of CDRs',
  queue: 'cdrs',
  batchSize: 10,
  maxConcurrency: 20,
  timeoutSeconds: 60,
  needs: {
    cdrs: ['index', 'setRecordings', 'remove'],
    domains: ['read', 'readDeleted'],
    recordings: ['listRecorded', 'list', 'wasLeft'],
    erasures: ['listMarked'],
  },
})

/** Writes exports of CDRs, each in runs of several minutes. */
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

/** Removes what names a party, in runs of several minutes. */
export const eraseParty = worker({
  name: 'eraseParty',
  group: 'erasures',
  summary: 'Remove what names a party from the records of a domain',
  queue: 'erasures',
  batchSize: 1,
  maxConcurrency: 2,
  timeoutSeconds: 300,
  needs: {
    erasures: ['read', 'replace', 'mark', 'listMarked'],
    erasureQueue: ['send'],
    cdrs: ['search', 'remove'],
    recordings: ['list', 'page', 'markDeleted', 'markRemoved'],
    recordingFiles: ['remove'],
    eventTraces: ['listEvents', 'removeEvents', 'listDeliveries', 'removeDeliveries'],
    exports: ['list', 'remove'],
    exportFiles: ['remove'],
    accounts: ['list'],
    engine: ['run'],
  },
})

/** Removes the records of a deleted domain. */
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
    tenantData: ['purge'],
    cleanups: ['send'],
    engine: ['run', 'send'],
    accounts: ['list'],
    recordings: ['leave'],
  },
})

/** Every queue worker. */
export const workers: readonly Worker[] = [hookDispatch, deliver, cdrIndex, writeExport, eraseParty, cleanUpDomain]
