import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/events/dynamo-event-log.ts'
import { dynamoGapStore } from '../../adapters/dynamodb/events/dynamo-gap-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/events.ts'
import { listEvents } from '../../core/events/list-events.ts'
import { endpoint, okData } from '../endpoint.ts'

const usualLimit = 100

const notCollected = 'the domain has no hook: its events are collected from its first hook on (POST /api/v2/hooks)'

export const handler = endpoint(
  routes.listEvents,
  {
    eventLog: dynamoEventLog,
    hooks: dynamoHookStore,
    gaps: dynamoGapStore,
    connectorStatus: dynamoConnectorStatusStore,
  },
  async ({ domain, query: { since = 0, limit = usualLimit }, clock }, ports) => {
    const page = await listEvents(ports, domain, { since, limit }, clock.now())
    return page.isCollected ? okData(page) : { ...okData(page), info: notCollected }
  },
)
