import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { readHealth } from '../../contracts/routes/status.ts'
import { isHealthy } from '../../core/status/health.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  readHealth,
  { connectorStatus: dynamoConnectorStatusStore },
  async ({ clock }, { connectorStatus }) => {
    const up = await isHealthy(connectorStatus, clock.now())
    return reply({ status: up ? 'OK' : 'error' }, { status: up ? 200 : 503 })
  },
)
