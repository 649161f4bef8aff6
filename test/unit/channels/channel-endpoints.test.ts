import { beforeEach, describe, expect, it } from 'vitest'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as hangUpChannel } from '../../../functions/channels/hang-up-channel.ts'
import { handler as holdChannel } from '../../../functions/channels/hold-channel.ts'
import { handler as listChannels } from '../../../functions/channels/list-channels.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aChannel } from '../../support/platform/call-setup.ts'

const noChannels: CommandOutcome = { state: 'done', text: '{"row_count":0,"rows":[]}' }

let api: Api

beforeEach(async () => {
  api = anApi()
  api.ports.engine.answer = ({ kind }) => (kind === 'list-channels' ? noChannels : { state: 'done', text: '+OK\n' })
  await api.account({ login: '1000', role: 'admin' })
  await api.account({ login: '1001', role: 'user' })
  await api.account({ login: '1000', domain: 'b.example.com', role: 'admin' })
})

type Who = 'nobody' | 'user' | 'admin' | 'admin of another domain' | 'root' | 'root in the domain'

async function headersOf(who: Who): Promise<Record<string, string>> {
  if (who === 'nobody') return {}
  if (who.startsWith('root')) return { ...(await api.as('root')) }
  const [domain, login] =
    who === 'user' ? ['a.example.com', '1001'] : [who === 'admin' ? 'a.example.com' : 'b.example.com', '1000']
  const account = await api.ports.accounts.read(domain, login)
  if (account === undefined) throw new Error('the account of the test is not there')
  return { ...(await api.as(account)) }
}

const queryOf = (who: Who): string => (who === 'root in the domain' ? 'domain=a.example.com' : '')

const params = { channel_id: aChannel }

const operations: Record<string, (who: Who) => Promise<ApiAnswer>> = {
  list: async (who) => api.call(listChannels, { headers: await headersOf(who), query: queryOf(who) }),
  originate: async (who) =>
    api.call(originateCall, {
      headers: await headersOf(who),
      query: queryOf(who),
      body: { calledId: '9196', ...(who.startsWith('root') ? { callerId: '1001' } : {}) },
    }),
  hold: async (who) =>
    api.call(holdChannel, { headers: await headersOf(who), query: queryOf(who), params, body: { state: 'hold' } }),
  'hang up': async (who) => api.call(hangUpChannel, { headers: await headersOf(who), query: queryOf(who), params }),
  eavesdrop: async (who) =>
    api.call(eavesdropChannel, { headers: await headersOf(who), query: queryOf(who), params, body: { user: '1000' } }),
}

const inA = { domain: 'a.example.com', presenceId: null }
const ownOf1001 = { domain: 'a.example.com', presenceId: '1001@a.example.com' }
const inB = { domain: 'b.example.com', presenceId: null }
const everywhere = { domain: null, presenceId: null }

describe('who may do what, and how far the command reaches', () => {
  it.each<[string, Who, number, object | undefined]>([
    ['list', 'nobody', 401, undefined],
    ['list', 'user', 200, ownOf1001],
    ['list', 'admin', 200, inA],
    ['list', 'admin of another domain', 200, inB],
    ['list', 'root', 200, everywhere],
    ['list', 'root in the domain', 200, inA],
    ['originate', 'nobody', 401, undefined],
    ['originate', 'user', 200, ownOf1001],
    ['originate', 'admin', 200, inA],
    ['originate', 'admin of another domain', 200, inB],
    ['originate', 'root', 400, undefined],
    ['originate', 'root in the domain', 200, inA],
    ['hold', 'nobody', 401, undefined],
    ['hold', 'user', 200, ownOf1001],
    ['hold', 'admin', 200, inA],
    ['hold', 'admin of another domain', 200, inB],
    ['hold', 'root', 200, everywhere],
    ['hold', 'root in the domain', 200, inA],
    ['hang up', 'nobody', 401, undefined],
    ['hang up', 'user', 200, ownOf1001],
    ['hang up', 'admin', 200, inA],
    ['hang up', 'admin of another domain', 200, inB],
    ['hang up', 'root', 200, everywhere],
    ['hang up', 'root in the domain', 200, inA],
    ['eavesdrop', 'nobody', 401, undefined],
    ['eavesdrop', 'user', 403, undefined],
    ['eavesdrop', 'admin', 200, inA],
    ['eavesdrop', 'admin of another domain', 200, inB],
    ['eavesdrop', 'root', 400, undefined],
    ['eavesdrop', 'root in the domain', 200, inA],
  ])('the channel endpoint %s called by %s answers %i', async (operation, who, status, scope) => {
    const answer = await operations[operation]?.(who)

    expect(answer?.status).toBe(status)
    expect(api.ports.engine.given.map((given) => given.scope)).toEqual(scope === undefined ? [] : [scope])
  })
})

describe("the status of a command's outcome", () => {
  it.each<[string, CommandOutcome | undefined, number, string | undefined]>([
    ['refused', { state: 'refused', text: '-ERR NO_ROUTE_DESTINATION\n' }, 400, undefined],
    ['found no channel', { state: 'absent' }, 404, undefined],
    ['was not reached', { state: 'unsent', reason: 'disconnected' }, 503, '5'],
    ['was not reached in time', { state: 'unsent', reason: 'expired' }, 503, '5'],
    ['was full', { state: 'unsent', reason: 'busy' }, 429, '5'],
    ['was lost', { state: 'unknown', reason: 'disconnected' }, 504, undefined],
    ['was silent', undefined, 504, undefined],
  ])('the status shows that the order %s', async (_title, outcome, status, retryAfter) => {
    api.ports.engine.answer = () => outcome

    const answer = await operations['hang up']?.('admin')

    expect(answer?.status).toBe(status)
    expect(answer?.headers['Retry-After']).toBe(retryAfter)
  })

  it("a refusal of the engine is answered with the engine's own words", async () => {
    api.ports.engine.answer = () => ({ state: 'refused', text: '-ERR NO_ROUTE_DESTINATION\n' })

    const answer = await operations['originate']?.('admin')

    expect(answer?.body).toMatchObject({ code: 'engine_refused', info: '-ERR NO_ROUTE_DESTINATION\n' })
  })
})

it('a channel list that the engine does not return is 503 with Retry-After for every caller', async () => {
  api.ports.engine.answer = () => undefined

  const answer = await operations['list']?.('root')

  expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
  expect(answer?.headers['Retry-After']).toBe('5')
})

it("a request that names another domain than the caller's own is forbidden before a command is sent", async () => {
  const headers = await headersOf('admin')

  const answer = await api.call(hangUpChannel, { headers, params, query: 'domain=b.example.com' })

  expect(answer.status).toBe(403)
  expect(api.ports.engine.given).toEqual([])
})

it.each(['hold', 'eavesdrop', 'hang up', 'originate'])(
  'the channel operation %s leaves a line in the audit trail',
  async (operation) => {
    await operations[operation]?.('admin')

    expect(api.ports.state.audit).toMatchObject([
      { caller: '1000@a.example.com', domain: 'a.example.com', sourceAddress: '198.51.100.7', status: 200 },
    ])
  },
)
