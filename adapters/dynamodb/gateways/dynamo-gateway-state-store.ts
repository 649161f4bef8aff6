import * as z from 'zod/mini'
import { gatewayStatuses, registrationStates } from '../../../contracts/gateway-words.ts'
import type { GatewayStateName, GatewayStateStore } from '../../../core/gateways/gateway-state-store.ts'
import type { GatewayState } from '../../../core/gateways/gateway-state.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { WRITE_BATCH_ITEMS, putBatch, removeBatch } from '../batches.ts'
import { queryAll, tableName } from '../client.ts'
import { expirySeconds, parseItem, under, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const stateItem = z.object({
  domain: z.string(),
  name: z.string(),
  engine: z.string(),
  state: z.enum(registrationStates),
  status: z.enum(gatewayStatuses),
  observedAt: z.number(),
})

/** States of gateways in DynamoDB: one partition a domain, one item for each gateway and engine. */
export function dynamoGatewayStateStore(context: AdapterContext): GatewayStateStore {
  const table = () => tableName(context, 'presence')
  return {
    async list(domain) {
      const found = { TableName: table(), ConsistentRead: true, ...under(statePartition(domain)) }
      const items = await queryAll(context, found)
      return items.flatMap((item) => parseItem(stateItem, unexpired(context, item)) ?? [])
    },
    put: (states) => putBatch(context, table(), states.map(toItem)),
    async remove(states) {
      for (let first = 0; first < states.length; first += WRITE_BATCH_ITEMS) {
        await removeBatch(context, table(), states.slice(first, first + WRITE_BATCH_ITEMS).map(stateKey))
      }
    },
  }
}

function toItem({ domain, name, engine, state, status, observedAt }: GatewayState) {
  const expiresAt = expirySeconds(keptUntil.gatewayState(observedAt))
  return { ...stateKey({ domain, name, engine }), domain, name, engine, state, status, observedAt, expiresAt }
}

function statePartition(domain: string): string {
  return joinKey('gateways', domain)
}

function stateKey({ domain, name, engine }: GatewayStateName) {
  return { pk: statePartition(domain), sk: joinKey(name, engine) }
}
