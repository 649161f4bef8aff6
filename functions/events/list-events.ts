import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/events/dynamo-event-log.ts'
import { dynamoGapStore } from '../../adapters/dynamodb/events/dynamo-gap-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/events.ts'
import { ownPresenceId } from '../../core/access/permission.ts'
import { invalidField } from '../../core/errors.ts'
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
  async ({ domain, query, caller, scope, clock }, ports) => {
    const { since = 0, limit = usualLimit, name, call, fields } = query
    const compact = query.compact === 'true'
    if (compact && fields !== undefined) throw invalidField('fields', 'cannot be chosen where compact is true')
    const view = { scope, account: ownPresenceId(caller), name, call, fields, compact }
    const page = await listEvents(ports, domain, { since, limit, view }, clock.now())
    return page.isCollected ? okData(page) : { ...okData(page), info: notCollected }
  },
)
