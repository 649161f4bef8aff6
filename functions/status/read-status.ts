import os from 'node:os'
import process from 'node:process'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoSessionStore } from '../../adapters/dynamodb/access/dynamo-session-store.ts'
import * as routes from '../../contracts/routes/status.ts'
import { readStatus } from '../../core/status/read-status.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.readStatus,
  { connectorStatus: dynamoConnectorStatusStore, sessions: dynamoSessionStore },
  async ({ clock, settings, caller }, ports) => {
    const { connectorUpTimeSec, ...platform } = await readStatus(ports, caller, clock.now())
    const { rss, heapTotal, heapUsed } = process.memoryUsage()
    return {
      ...platform,
      version: settings.version,
      nodeMemory: { rss, heapTotal, heapUsed },
      processId: process.pid,
      // The service has no live-event connections: events leave through hooks only.
      socketSessions: 0,
      processUpTimeSec: connectorUpTimeSec ?? process.uptime(),
      system: {
        totalMemory: os.totalmem(),
        freeMemory: os.freemem(),
        platform: os.platform(),
        name: os.type(),
        architecture: os.arch(),
      },
      nodeVersion: process.version,
    }
  },
)
