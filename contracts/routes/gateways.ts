import * as z from 'zod/mini'
import {
  gatewayCodecs,
  gatewayProfiles,
  gatewayStatuses,
  registrationStates,
  srtpModes,
  transports,
} from '../gateway-words.ts'
import { callerIdRule, cidr, gatewayName, gatewayPassword, hostAddress, hostAndPort, login } from '../fields.ts'
import { domainQuery, listQuery, okData, okInfo } from './shapes.ts'
import { route } from './route.ts'

const flag = z.boolean('must be true or false')
const whole = (min: number, max: number) =>
  z
    .int('must be a whole number')
    .check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`))

const networks = z.array(cidr, 'must be a list of networks').check(z.maxLength(20, 'must have at most 20 networks'))

/** The fields of a gateway as callers write them; core/gateways has their defaults and the rules between them. */
const fields = {
  realm: hostAddress,
  from_domain: hostAddress,
  proxy: hostAndPort,
  register: flag,
  username: login,
  from_user: login,
  password: gatewayPassword,
  networks,
  transport: z.enum(transports, `must be one of ${transports.join(', ')}`),
  srtp: z.enum(srtpModes, `must be one of ${srtpModes.join(', ')}`),
  expires: whole(60, 3600),
  caller_id: callerIdRule,
  max_calls: whole(1, 1000),
  codecs: z
    .array(z.enum(gatewayCodecs, `must be one of ${gatewayCodecs.join(', ')}`), 'must be a list of codecs')
    .check(z.maxLength(gatewayCodecs.length, `must have at most ${gatewayCodecs.length} codecs`)),
  enabled: flag,
  profile: z.enum(gatewayProfiles, `must be ${gatewayProfiles.join(', ')}`),
  confirmed_networks: networks,
}

const gatewayFields = z.partial(z.object(fields))

/** A change: each field, or `null` to take it away. */
const gatewayPatch = z.partial(
  z.object({
    ...fields,
    from_domain: z.nullable(fields.from_domain),
    proxy: z.nullable(fields.proxy),
    username: z.nullable(fields.username),
    from_user: z.nullable(fields.from_user),
    password: z.nullable(fields.password),
    max_calls: z.nullable(fields.max_calls),
  }),
)

/** A gateway as callers see it; a stored password is shown as eight asterisks. */
const gatewayOutput = z.object({
  name: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  profile: z.enum(gatewayProfiles),
  register: z.boolean(),
  realm: z.string(),
  from_domain: z.string(),
  proxy: z.string(),
  username: z.optional(z.string()),
  from_user: z.optional(z.string()),
  password: z.optional(z.literal('********')),
  networks: z.array(z.string()),
  confirmed_networks: z.array(z.string()),
  transport: z.enum(transports),
  srtp: z.enum(srtpModes),
  expires: z.int(),
  caller_id: z.string(),
  max_calls: z.optional(z.int()),
  codecs: z.array(z.string()),
})

/** A gateway with its state: of several engines the worst one, `UNKNOWN` where no engine reports it. */
const gatewayWithState = z.extend(gatewayOutput, {
  state: z.enum([...registrationStates, 'UNKNOWN']),
  status: z.enum([...gatewayStatuses, 'UNKNOWN']),
  /** Fields that would be refused today. */
  ignored: z.optional(z.array(z.string())),
  /** Gateways of other domains, `<domain>/<name>`, that share addresses with this one; for root only. */
  overlaps: z.optional(z.array(z.string())),
})

const ofOwner = { domains: ['read'], connectorStatus: ['list'] } as const

const ofStates = { ...ofOwner, gatewayStates: ['list'] } as const

const common = { group: 'gateways', authentication: 'token', domain: 'required', query: domainQuery } as const

/** One gateway of a domain. Any text is accepted; text that is not a name finds no gateway. */
const oneGateway = {
  ...common,
  path: '/api/v2/gateways/{gateway_name}',
  versioned: true,
  params: z.object({ gateway_name: z.string() }),
} as const

/** `GET /api/v2/gateways`; root also sees which gateways of other domains have the same addresses. */
export const listGateways = route({
  ...common,
  operationId: 'listGateways',
  method: 'GET',
  path: '/api/v2/gateways',
  summary: 'List the gateways of a domain',
  description:
    '`overlaps` (for root): gateways of other domains, `<domain>/<name>`, that have addresses of its `networks`.',
  permission: { resource: 'gateway', action: 'r' },
  needs: { gateways: ['list', 'listAll'], ...ofStates },
  query: listQuery,
  response: okData(z.array(z.partial(gatewayWithState))),
})

/** `POST /api/v2/gateways` */
export const createGateway = route({
  ...common,
  operationId: 'createGateway',
  method: 'POST',
  path: '/api/v2/gateways',
  summary: 'Create a gateway (SIP trunk)',
  permission: { resource: 'gateway', action: 'c' },
  needs: { gateways: ['create'], secretBox: ['seal'], engine: ['send'], ...ofOwner },
  body: z.extend(gatewayFields, { name: gatewayName, domain: z.optional(z.string('must be a domain name')) }),
  errors: ['conflict'],
  response: okData(gatewayOutput),
})

/** `GET /api/v2/gateways/<name>` */
export const readGateway = route({
  ...oneGateway,
  operationId: 'readGateway',
  method: 'GET',
  summary: 'Read a gateway',
  permission: { resource: 'gateway', action: 'r' },
  needs: { gateways: ['read'], ...ofStates },
  response: okData(gatewayWithState),
})

/** `PUT /api/v2/gateways/<name>`: fields that are left out get their defaults. */
export const replaceGateway = route({
  ...oneGateway,
  operationId: 'replaceGateway',
  method: 'PUT',
  summary: 'Replace a gateway',
  permission: { resource: 'gateway', action: 'u' },
  needs: { gateways: ['read', 'replace'], secretBox: ['seal'], engine: ['send'], ...ofOwner },
  body: gatewayFields,
  response: okData(gatewayOutput),
})

/** `PATCH /api/v2/gateways/<name>`: changes the given fields; the others stay. */
export const updateGateway = route({
  ...oneGateway,
  operationId: 'updateGateway',
  method: 'PATCH',
  summary: 'Change fields of a gateway',
  description: "Only root writes `confirmed_networks`: calls from their addresses belong to this gateway's domain.",
  permission: { resource: 'gateway', action: 'u' },
  needs: { gateways: ['read', 'replace'], secretBox: ['seal'], engine: ['send'], ...ofOwner },
  body: gatewayPatch,
  response: okData(gatewayOutput),
})

/** `DELETE /api/v2/gateways/<name>` */
export const deleteGateway = route({
  ...oneGateway,
  operationId: 'deleteGateway',
  method: 'DELETE',
  summary: 'Delete a gateway',
  permission: { resource: 'gateway', action: 'd' },
  needs: { gateways: ['read', 'remove'], engine: ['send'] },
  response: okInfo(z.string()),
})
