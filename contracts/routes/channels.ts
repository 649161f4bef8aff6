import * as z from 'zod/mini'
import { accountName, autoAnswer, callId, dialTarget, displayDigits, hangupCause, login } from '../fields.ts'
import { domainQuery, listQuery, okData } from './shapes.ts'
import { route } from './route.ts'

/** The fields of a row of the channel list, in the order of the published API. All values are text. */
export const channelFields = [
  'uuid',
  'direction',
  'created',
  'created_epoch',
  'name',
  'state',
  'cid_name',
  'cid_num',
  'ip_addr',
  'dest',
  'application',
  'application_data',
  'dialplan',
  'context',
  'read_codec',
  'read_rate',
  'read_bit_rate',
  'write_codec',
  'write_rate',
  'write_bit_rate',
  'secure',
  'hostname',
  'presence_id',
  'presence_data',
  'callstate',
  'callee_name',
  'callee_num',
  'callee_direction',
  'call_uuid',
  'sent_callee_name',
  'sent_callee_num',
  'initial_cid_name',
  'initial_cid_num',
  'initial_ip_addr',
  'initial_dest',
  'initial_dialplan',
  'initial_context',
] as const

const published: ReadonlySet<string> = new Set(channelFields)

/**
 * Returns whether a value is a row of the list, or the requested columns of one. Written by hand and without a copy: a
 * page has thousands of rows, and a hundred dashboards may request it at once.
 */
function isChannelRow(row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false
  return Object.entries(row).every(([name, value]) => published.has(name) && typeof value === 'string')
}

const channelRow = z
  .custom<Readonly<Partial<Record<string, string>>>>(isChannelRow, 'must have published fields alone')
  .register(z.globalRegistry, {
    type: 'object',
    description: 'A channel; every value is text.',
    properties: Object.fromEntries(channelFields.map((name) => [name, { type: 'string' }])),
  })

const params = z.object({ channel_id: callId })

/** `pending` is set when the engine did not answer within 20 s: the call may still come up. */
const engineAnswer = z.object({ status: z.literal('OK'), info: z.string(), pending: z.optional(z.literal(true)) })

/**
 * Up to 32 variables of up to 256 characters; core/client-names checks their names and values. `:_:` anywhere in a
 * command would split it into two calls.
 */
const callVariables = z
  .record(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ or -')),
    z.string('must be text').check(
      z.regex(
        // oxlint-disable-next-line no-control-regex -- control characters are what is refused
        /^(?!.*:_:)[^\u0000-\u001f\u007f{}[\]\\]{0,256}$/u,
        'must be up to 256 characters without control characters, {}[]\\ and :_:',
      ),
    ),
  )
  .check(z.refine((variables) => Object.keys(variables).length <= 32, 'must have at most 32 names'))

/** `GET /api/v2/channels` */
export const listChannels = route({
  operationId: 'listChannels',
  group: 'channels',
  method: 'GET',
  path: '/api/v2/channels',
  summary: 'List live channels',
  authentication: 'token',
  permission: { resource: 'channels', action: 'r', own: true },
  domain: 'optional',
  needs: { engine: ['run'] },
  query: z.extend(listQuery, {
    userId: z.optional(accountName),
    callstate: z.optional(z.string().check(z.regex(/^[A-Z_]{1,40}$/, 'must be a call state such as ACTIVE'))),
    direction: z.optional(z.enum(['inbound', 'outbound'], 'must be inbound or outbound')),
  }),
  response: okData(
    z.object({
      row_count: z.int(),
      rows: z.array(channelRow),
    }),
  ),
})

/** `POST /api/v2/channels` */
export const originateCall = route({
  operationId: 'originateCall',
  group: 'channels',
  method: 'POST',
  path: '/api/v2/channels',
  summary: 'Originate a call',
  description:
    'Waits up to 20 s for the account to answer; with `wait: "none"` the response comes at once, with `pending: true`.',
  authentication: 'token',
  permission: { resource: 'channels', action: 'c', own: true },
  domain: 'required',
  needs: {
    accounts: ['read'],
    engine: ['run', 'send'],
    knownCalls: ['place', 'answered', 'listPlaced', 'unplace'],
  },
  mustBeCounted: true,
  limits: ['call'],
  query: domainQuery,
  body: z.object({
    calledId: dialTarget,
    callerId: z.optional(accountName),
    domain: z.optional(z.string('must be a domain name')),
    auto_answer_param: z.optional(autoAnswer),
    variables: z.optional(callVariables),
    timeout: z.optional(
      z.int('must be a whole number').check(z.minimum(5, 'must be at least 5'), z.maximum(120, 'must be at most 120')),
    ),
    wait: z.optional(z.enum(['answer', 'none'], 'must be answer or none')),
  }),
  errors: ['not_found', 'conflict', 'rate_limited'],
  response: engineAnswer,
  // It waits for up to 20 s, and is paid for by memory and time.
  memoryMb: 256,
})

/** `PUT /api/v2/channels/<channel_id>`: hold and unhold; PATCH does the same. */
export const holdChannel = route({
  operationId: 'holdChannel',
  group: 'channels',
  method: 'PUT',
  otherMethods: ['PATCH'],
  path: '/api/v2/channels/{channel_id}',
  summary: 'Hold or unhold a channel',
  authentication: 'token',
  permission: { resource: 'channels', action: 'u', own: true },
  domain: 'optional',
  needs: { engine: ['run'] },
  params,
  query: domainQuery,
  body: z.object({
    state: z.enum(['hold', 'unhold'], 'must be "hold" or "unhold"'),
    domain: z.optional(z.string('must be a domain name')),
  }),
  errors: ['conflict'],
  response: engineAnswer,
})

/** `DELETE /api/v2/channels/<channel_id>` */
export const hangUpChannel = route({
  operationId: 'hangUpChannel',
  group: 'channels',
  method: 'DELETE',
  path: '/api/v2/channels/{channel_id}',
  summary: 'Hang a channel up',
  authentication: 'token',
  permission: { resource: 'channels', action: 'd', own: true },
  domain: 'optional',
  needs: { engine: ['run'] },
  params,
  query: z.extend(domainQuery, { cause: z.optional(hangupCause) }),
  errors: ['conflict'],
  response: engineAnswer,
})

/** `POST /api/v2/channels/<channel_id>/eavesdrop` */
export const eavesdropChannel = route({
  operationId: 'eavesdropChannel',
  group: 'channels',
  method: 'POST',
  path: '/api/v2/channels/{channel_id}/eavesdrop',
  summary: 'Listen to a channel',
  authentication: 'token',
  permission: { resource: 'channels', action: 'c' },
  domain: 'required',
  needs: {
    accounts: ['read'],
    engine: ['run'],
    events: ['publish'],
    knownCalls: ['place', 'answered', 'listPlaced', 'unplace'],
  },
  mustBeCounted: true,
  limits: ['call'],
  params,
  query: z.extend(domainQuery, { side: z.optional(displayDigits) }),
  body: z.object({
    user: z.optional(login),
    domain: z.optional(z.string('must be a domain name')),
    display: z.optional(displayDigits),
    mode: z.optional(
      z.enum(['listen', 'whisper_a', 'whisper_b', 'barge'], 'must be listen, whisper_a, whisper_b or barge'),
    ),
    dtmf: z.optional(z.boolean('must be true or false')),
    variables: z.optional(callVariables),
  }),
  errors: ['conflict', 'rate_limited'],
  response: engineAnswer,
})
