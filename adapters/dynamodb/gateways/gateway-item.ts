import * as z from 'zod/mini'
import { gatewayProfiles, srtpModes, transports } from '../../../contracts/gateway-words.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import type { Item } from '../client.ts'
import { parseItem } from '../items.ts'
import { joinKey, keyPrefix } from '../key.ts'

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
export const gatewayPrefix = keyPrefix('gateway')

/** Returns the partition of a domain's gateways and their number. */
export function gatewayPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the key of a gateway. */
export function gatewayKey(domain: string, name: string) {
  return { pk: gatewayPartition(domain), sk: joinKey('gateway', name) }
}

/** Returns the key of the number of a domain's gateways. */
export function gatewayCountKey(domain: string) {
  return { pk: gatewayPartition(domain), sk: joinKey('count') }
}

/** Returns a gateway as an item. */
export function toGatewayItem(gateway: Gateway) {
  return { ...gatewayKey(gateway.domain, gateway.name), ...gateway, networks: [...gateway.networks] }
}

/** Returns the gateway of an item; `undefined` for `undefined`. */
export function fromGatewayItem(item: Item | undefined): Gateway | undefined {
  return parseItem(gatewayItem, item)
}
