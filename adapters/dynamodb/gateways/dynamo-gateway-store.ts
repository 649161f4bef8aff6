import { type GatewayStore, networksKeptMs } from '../../../core/gateways/gateway-store.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import type { AdapterContext } from '../../context.ts'
import { type Item, type Part, getItem, queryAll, scanAll, tableName, transactWrite } from '../client.ts'
import { transacted } from '../errors.ts'
import { parseItem, under } from '../items.ts'
import * as z from 'zod/mini'
import { gatewayProfiles, srtpModes, transports } from '../../../contracts/gateway-words.ts'
import { joinKey, keyPrefix } from '../key.ts'

/** Gateways in DynamoDB: one partition a domain, one item a gateway, and one for their number. */
export function dynamoGatewayStore(context: AdapterContext): GatewayStore {
  const table = () => tableName(context, 'gateways')
  const transact = (parts: readonly Part[]) => transacted(() => transactWrite(context, parts))
  const listAll = async () => {
    const items = await scanAll(context, { TableName: table(), ConsistentRead: true })
    return items.filter(({ sk }) => String(sk).startsWith(gatewayPrefix)).flatMap((item) => fromGatewayItem(item) ?? [])
  }
  /** The latest answer, or the one that is being read: one scan serves all calls that come meanwhile. */
  let kept: { readonly readAt: number; readonly found: Promise<readonly Gateway[]> } | undefined
  return {
    async list(domain) {
      const found = under(gatewayPartition(domain), gatewayPrefix)
      const items = await queryAll(context, { TableName: table(), ConsistentRead: true, ...found })
      return items.flatMap((item) => fromGatewayItem(item) ?? [])
    },
    listAll,
    listByNetwork() {
      const now = context.clock.now()
      if (kept !== undefined && now - kept.readAt < networksKeptMs) return kept.found
      const found = listAll().then((all) => all.filter(({ enabled, networks }) => enabled && networks.length > 0))
      const reading = { readAt: now, found }
      kept = reading
      found.catch(() => {
        if (kept === reading) kept = undefined
      })
      return found
    },
    async read(domain, name) {
      return fromGatewayItem(await getItem(context, table(), gatewayKey(domain, name)))
    },
    async create(gateway, most) {
      const failed = await transact([
        countStep(table(), gateway.domain, 1, most),
        {
          Put: {
            TableName: table(),
            Item: toGatewayItem(gateway),
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ])
      if (failed === undefined) return 'created'
      return failed[1]?.failed === true ? 'exists' : 'full'
    },
    async replace(gateway) {
      const failed = await transact([
        {
          Put: {
            TableName: table(),
            Item: toGatewayItem(gateway),
            ConditionExpression: 'version = :previous',
            ExpressionAttributeValues: { ':previous': gateway.version - 1 },
          },
        },
      ])
      return failed === undefined
    },
    async remove({ domain, name, version }) {
      const failed = await transact([
        {
          Delete: {
            TableName: table(),
            Key: gatewayKey(domain, name),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': version },
          },
        },
        countStep(table(), domain, -1),
      ])
      return failed === undefined
    },
  }
}

/** Changes the number of a domain's gateways; where `most` is given, only from below that. */
function countStep(TableName: string, domain: string, by: number, most?: number): Part {
  return {
    Update: {
      TableName,
      Key: gatewayCountKey(domain),
      UpdateExpression: 'ADD gateways :by',
      ExpressionAttributeValues: { ':by': by, ...(most !== undefined && { ':most': most }) },
      ...(most !== undefined && { ConditionExpression: 'attribute_not_exists(pk) OR gateways < :most' }),
    },
  }
}

const gatewayItem = z.object({
  domain: z.string(),
  name: z.string(),
  register: z.boolean(),
  realm: z.string(),
  fromDomain: z.string(),
  proxy: z.string(),
  username: z.optional(z.string()),
  fromUser: z.optional(z.string()),
  sealedPassword: z.optional(z.string()),
  networks: z.array(z.string()),
  networksSince: z._default(z.record(z.string(), z.number()), {}),
  confirmedNetworks: z._default(z.array(z.string()), []),
  transport: z.enum(transports),
  srtp: z._default(z.enum(srtpModes), 'off'),
  expires: z.number(),
  callerId: z.string(),
  maxCalls: z.optional(z.number()),
  codecs: z.array(z.string()),
  enabled: z.boolean(),
  profile: z.enum(gatewayProfiles),
  createdAt: z.number(),
  version: z.number(),
})

/** The prefix of the sort keys of gateways. */
const gatewayPrefix = keyPrefix('gateway')

/** Returns the partition of a domain's gateways and their number. */
function gatewayPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the key of a gateway. */
function gatewayKey(domain: string, name: string) {
  return { pk: gatewayPartition(domain), sk: joinKey('gateway', name) }
}

/** Returns the key of the number of a domain's gateways. */
function gatewayCountKey(domain: string) {
  return { pk: gatewayPartition(domain), sk: joinKey('count') }
}

/** Returns a gateway as an item. */
function toGatewayItem(gateway: Gateway) {
  return { ...gatewayKey(gateway.domain, gateway.name), ...gateway, networks: [...gateway.networks] }
}

/** Returns the gateway of an item; `undefined` for `undefined`. */
function fromGatewayItem(item: Item | undefined): Gateway | undefined {
  return parseItem(gatewayItem, item)
}
