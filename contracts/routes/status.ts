import * as z from 'zod/mini'
import { route } from './route.ts'

/** `GET /api/v2/status` */
export const readStatus = route({
  operationId: 'readStatus',
  group: 'status',
  method: 'GET',
  path: '/api/v2/status',
  summary: 'Report the runtime status',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: { connectorStatus: ['list', 'listWaits'], sessions: ['count'] },
  response: z.object({
    version: z.string(),
    nodeMemory: z.object({ rss: z.int(), heapTotal: z.int(), heapUsed: z.int() }),
    processId: z.int(),
    socketSessions: z.int(),
    userSessions: z.int(),
    maxUserSessions: z.int(),
    domainSessions: z.int(),
    processUpTimeSec: z.number(),
    wConsole: z.object({
      status: z.enum(['Connected', 'Offline']),
      apiQueue: z.int(),
      cmdQueue: z.int(),
      version: z.string(),
      sid: z.string(),
    }),
    system: z.object({
      totalMemory: z.int(),
      freeMemory: z.int(),
      platform: z.string(),
      name: z.string(),
      architecture: z.string(),
    }),
    crashCount: z.string(),
    freeSWITCH: z.string(),
    nodeVersion: z.string(),
    /** The age of the event that has been waiting longest in a connector, in seconds. Only for root. */
    eventLagSec: z.optional(z.number()),
    /**
     * How long the oldest event had waited when a function last took a batch, in seconds, for each stage after the
     * connectors; 0 if that was less than ten seconds, or more than a minute ago. `deliverSlowly` is always the same as
     * `deliver`: attempts to slow receivers wait in the same queue. Only for root.
     */
    eventWaitsSec: z.optional(z.object({ hookDispatch: z.number(), deliver: z.number(), deliverSlowly: z.number() })),
  }),
})

/** `GET /health`: only whether every part is up. If a part is down, the answer is a 503 of the same form. */
export const readHealth = route({
  operationId: 'readHealth',
  group: 'status',
  method: 'GET',
  otherMethods: ['HEAD'],
  path: '/health',
  summary: 'Tell whether the service is up',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: { connectorStatus: ['list'] },
  otherStatuses: [503],
  response: z.object({ status: z.enum(['OK', 'error']) }),
})
