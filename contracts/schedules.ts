import type { Needs } from './ports.ts'

/** The one declaration of a function that is called at intervals. */
export interface Schedule {
  /** Unique among workers and schedules; also the name of the handler file, in kebab case. */
  readonly name: string
  readonly group: string
  readonly summary: string
  /** Whole minutes between two calls; the cloud's scheduler does not support less. */
  readonly everyMinutes: number
  readonly timeoutSeconds: number
  readonly needs: Needs
  /** The consequence for people when call after call fails, and the article of docs/runbook.md that helps. */
  readonly failing: { readonly article: string; readonly impact: string }
}

function schedule<const S extends Schedule>(declaration: S): S {
  return declaration
}

/** Queues attempts of deliveries again whose messages were lost. */
export const requeueDeliveries = schedule({
  name: 'requeueDeliveries',
  group: 'hooks',
  summary: 'Queue again the attempts that should have been made long ago',
  everyMinutes: 1,
  timeoutSeconds: 60,
  needs: { deliveries: ['listDue', 'reschedule'], deliveryQueue: ['send', 'waiting'] },
  failing: {
    article: 'Lost attempts are not looked for',
    impact: 'Deliveries whose message was lost wait for ever: receivers do not learn of what happened.',
  },
})

/** Publishes the failure of recordings that never appeared. */
export const failMissingRecordings = schedule({
  name: 'failMissingRecordings',
  group: 'recordings',
  summary: 'Fail the recordings that have no object 15 minutes after the end of their call',
  everyMinutes: 1,
  timeoutSeconds: 60,
  needs: {
    domains: ['read'],
    recordings: ['listOverdue', 'claim', 'release', 'markFailed'],
    events: ['publish'],
    cdrQueue: ['send'],
  },
  failing: {
    article: 'Missing recordings are not reported',
    impact: 'Recordings that are lost are still shown as expected, and tenants do not learn of the loss.',
  },
})

/** Removes recordings whose retention has ended. */
export const removeExpiredRecordings = schedule({
  name: 'removeExpiredRecordings',
  group: 'recordings',
  summary: 'Remove the recordings that are past the retention of their domain',
  everyMinutes: 60,
  timeoutSeconds: 300,
  needs: {
    domains: ['list', 'listDeleted'],
    recordings: ['listExpired', 'listDoomed', 'markDeleted', 'markRemoved', 'page', 'listLeft', 'forgetLeft'],
    recordingFiles: ['remove'],
    cdrQueue: ['send'],
  },
  failing: {
    article: 'Expired recordings are not removed',
    impact: 'Recordings are kept for longer than their tenants asked for, which may break what these promised.',
  },
})

/** Removes CDRs whose retention has ended. */
export const removeExpiredCdrs = schedule({
  name: 'removeExpiredCdrs',
  group: 'cdr',
  summary: 'Remove the CDRs that are past the retention of their domain',
  everyMinutes: 60,
  timeoutSeconds: 300,
  needs: {
    domains: ['list', 'listDeleted'],
    recordings: ['listLeft'],
    cdrs: ['remove'],
    cdrAdmin: ['removeEmpty'],
  },
  failing: {
    article: 'Expired CDRs are not removed',
    impact: 'CDRs are kept for longer than their tenants asked for, which may break what these promised.',
  },
})

/** Every schedule. */
export const schedules: readonly Schedule[] = [
  requeueDeliveries,
  failMissingRecordings,
  removeExpiredRecordings,
  removeExpiredCdrs,
]
