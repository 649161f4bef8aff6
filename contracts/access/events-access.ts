import { type MethodAccess, indexed } from './access-kinds.ts'

/** The access of the ports of events, hooks and deliveries. */
export const eventsAccess = {
  events: { publish: [{ queue: 'events', actions: ['SendMessage'] }] },
  receivedEvents: { ack: [{ queue: 'events', actions: ['DeleteMessage'] }] },
  eventLogWriter: {
    take: [{ table: 'events', actions: ['UpdateItem'] }],
    write: [
      { table: 'events', actions: ['BatchWriteItem', 'PutItem', 'UpdateItem'] },
      { table: 'deliveries', actions: ['PutItem'] },
      { bucket: 'payloads', actions: ['PutObject'] },
    ],
  },
  eventLog: {
    // A reader writes too: it makes the numbers void that a dead writer left.
    read: [{ table: 'events', actions: ['GetItem', 'Query', 'PutItem'] }],
    latest: [{ table: 'events', actions: ['GetItem', 'Query', 'PutItem'] }],
    head: [{ table: 'events', actions: ['GetItem'] }],
  },
  hooks: {
    create: [{ table: 'hooks', actions: ['PutItem', 'UpdateItem'] }],
    read: [{ table: 'hooks', actions: ['GetItem'] }],
    list: [{ table: 'hooks', actions: ['Query'] }],
    count: [{ table: 'hooks', actions: ['GetItem'] }],
    replace: [{ table: 'hooks', actions: ['PutItem', 'UpdateItem'] }],
    remove: [
      { table: 'hooks', actions: ['DeleteItem', 'UpdateItem'] },
      // Deliveries of a removed hook are recorded for removal together with their domain.
      { table: 'deliveries', actions: ['PutItem'] },
    ],
    countFailure: [{ table: 'hooks', actions: ['UpdateItem'] }],
    clearFailures: [{ table: 'hooks', actions: ['UpdateItem'] }],
    noteLate: [{ table: 'hooks', actions: ['UpdateItem'] }],
    endNotice: [{ table: 'hooks', actions: ['UpdateItem'] }],
    renewNotice: [{ table: 'hooks', actions: ['UpdateItem'] }],
  },
  subscriptions: {
    version: [{ table: 'hooks', actions: ['GetItem'] }],
    list: [{ table: 'hooks', actions: ['Scan'] }],
  },
  deliveries: {
    create: [{ table: 'deliveries', actions: ['PutItem'] }],
    createTogether: [{ table: 'deliveries', actions: ['PutItem'] }],
    read: [{ table: 'deliveries', actions: ['GetItem'] }],
    keepEvent: [
      { table: 'deliveries', actions: ['PutItem'] },
      { bucket: 'payloads', actions: ['PutObject'] },
    ],
    readEvent: [
      { table: 'events', actions: ['GetItem'] },
      { table: 'deliveries', actions: ['GetItem'] },
      { bucket: 'payloads', actions: ['GetObject'] },
      { bucket: 'payloads', actions: ['ListBucket'], whole: true },
    ],
    beginAttempt: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    recordAttempt: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    recordTogether: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    reschedule: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    reopen: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    listDue: indexed('deliveries'),
    listFailed: indexed('deliveries'),
    list: [{ table: 'deliveries', actions: ['Query'] }],
  },
  eventTraces: {
    listEvents: [
      { table: 'events', actions: ['Query'] },
      { table: 'deliveries', actions: ['Query'] },
      { bucket: 'payloads', actions: ['GetObject'] },
      { bucket: 'payloads', actions: ['ListBucket'], whole: true },
    ],
    removeEvents: [
      { table: 'events', actions: ['DeleteItem'] },
      { table: 'deliveries', actions: ['DeleteItem'] },
      { bucket: 'payloads', actions: ['DeleteObject'] },
    ],
    listDeliveries: [
      { table: 'hooks', actions: ['Query'] },
      { table: 'deliveries', actions: ['Query'] },
    ],
    removeDeliveries: [{ table: 'deliveries', actions: ['BatchWriteItem'] }],
  },
  deliveryQueue: {
    send: [{ queue: 'deliveries', actions: ['SendMessage'] }],
    waiting: [{ queue: 'deliveries', actions: ['GetQueueAttributes'] }],
  },
  hookClient: { send: [] },
} satisfies Partial<MethodAccess>
