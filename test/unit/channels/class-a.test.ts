import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as hangUpChannel } from '../../../functions/channels/hang-up-channel.ts'
import { handler as holdChannel } from '../../../functions/channels/hold-channel.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { breadth } from '../../support/breadth.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aChannel } from '../../support/platform/call-setup.ts'

/** Values that try to break out of an engine command, by what they try. */
const samples = Object.values(
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/call-control.json', import.meta.url), 'utf8')) as Record<
    string,
    string[]
  >,
).flat()

let api: Api
let headers: Record<string, string>

beforeAll(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

afterEach(() => {
  expect(api.ports.engine.given).toEqual([])
  expect(api.ports.events.published).toEqual([])
})

const originate = (body: object): Promise<ApiAnswer> => api.call(originateCall, { headers, body })

const query = (name: string, value: string): string => new URLSearchParams({ [name]: value }).toString()

/** Each field that ends in an engine command, and how a request carries a value in it. */
const fields: [string, string, (value: string) => Promise<ApiAnswer>][] = [
  ['calledId', 'originate', (calledId) => originate({ calledId })],
  ['auto_answer_param', 'originate', (value) => originate({ calledId: '9196', auto_answer_param: value })],
  [
    'channel_id',
    'hold',
    (channel_id) => api.call(holdChannel, { headers, params: { channel_id }, body: { state: 'hold' } }),
  ],
  ['channel_id', 'hang up', (channel_id) => api.call(hangUpChannel, { headers, params: { channel_id } })],
  [
    'channel_id',
    'eavesdrop',
    (channel_id) => api.call(eavesdropChannel, { headers, params: { channel_id }, body: {} }),
  ],
  ['state', 'hold', (state) => api.call(holdChannel, { headers, params: { channel_id: aChannel }, body: { state } })],
  ...['user', 'display', 'mode'].map((field): [string, string, (value: string) => Promise<ApiAnswer>] => [
    field,
    'eavesdrop',
    (value) => api.call(eavesdropChannel, { headers, params: { channel_id: aChannel }, body: { [field]: value } }),
  ]),
  [
    'side',
    'eavesdrop',
    (side) =>
      api.call(eavesdropChannel, { headers, params: { channel_id: aChannel }, query: query('side', side), body: {} }),
  ],
  [
    'cause',
    'hang up',
    (cause) => api.call(hangUpChannel, { headers, params: { channel_id: aChannel }, query: query('cause', cause) }),
  ],
]

/** Samples that are ordinary values of a field: a login, an account's name, an id of a channel. They meet none. */
const ordinary: Record<string, RegExp> = {
  channel_id: /^(?!toggle$)[A-Za-z0-9._~@:+-]{1,128}$/,
  user: /^[A-Za-z0-9._+-]{1,64}$/,
  calledId: /^[A-Za-z][A-Za-z0-9._-]{0,63}$/,
}

describe.each(fields)('%s of %s', (field, _operation, send) => {
  it.each(samples.filter((value) => !ordinary[field]?.test(value)))(
    '%j is 400 with the field named, and reaches neither the engine nor the log',
    async (value) => {
      const { status, body } = await send(value)

      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'invalid_field', details: [{ field }] })
      expect(loggedValues()).not.toContainEqual(expect.stringContaining(value || '\0'))
    },
  )
})

/** The logged text, without the path of the request, which contains the channel id. */
function loggedValues(): unknown[] {
  return api.log.lines
    .filter(({ level }) => level !== 'debug')
    .flatMap(({ message, keys }) => Object.values({ ...keys, path: '', message }))
}

describe('callerId', () => {
  it.each(samples)('a callerId of %j is refused', async (value) => {
    const { status } = await originate({ calledId: '9196', callerId: value })

    // A well-formed login is looked up and not found; a login in another domain is forbidden.
    const isNamed = /^[A-Za-z0-9._+-]{1,64}(@[A-Za-z0-9.-]{1,253})?$/.test(value)
    expect(status).toBe(isNamed ? (value.includes('@') ? 403 : 404) : 400)
  })
})

describe.each([
  ['originate', (variables: object) => originate({ calledId: '9196', variables })],
  [
    'eavesdrop',
    (variables: object) =>
      api.call(eavesdropChannel, { headers, params: { channel_id: aChannel }, body: { variables } }),
  ],
] as const)('variables of %s', (_operation, send) => {
  it.each(samples.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name)))('the name %j is 400', async (name) => {
    const { status, body } = await send({ [name]: '1' })

    expect([status, body.details]).toMatchObject([400, [{ field: expect.stringMatching(/^variables/) }]])
  })

  it.each(samples.filter((value) => /[\0\n\r{}[\]'\\,]|:_:/.test(value)))('the value %j is 400', async (value) => {
    const { status, body } = await send({ x_lead: value })

    expect([status, body.details]).toMatchObject([400, [{ field: 'variables.x_lead' }]])
  })
})

describe('timeout', () => {
  it.each([4, 121, 5.5, -60, '60', null, [60], 1e9])('a timeout of %j is refused with 400', async (timeout) => {
    const { status, body } = await originate({ calledId: '9196', timeout })

    expect([status, body.details]).toMatchObject([400, [{ field: 'timeout' }]])
  })
})

describe('text made of what the engine gives a meaning to', () => {
  const special = Array.from('\n\r\0 ,{}[]|:;&$\'"\\^@/\u2028\u202e\uff11').concat('${', '^^')
  const hostile = fc
    .tuple(
      fc.constantFrom('', '15551234', '1000', aChannel, 'sip_auto_answer=true', 'hold', '+'),
      fc.constantFrom(...special),
      fc.string({ unit: fc.constantFrom(...special, '1', 'a', '=') }),
    )
    .map((parts) => parts.join(''))

  /** An auto-answer value without a character that ends it, separates or expands. */
  const harmless = /^sip_auto_answer=(?!.*:_:)[^{}[\],'"\\$\0\n\r]*$/

  it('text that means something to the engine is refused in every field, and no command is recorded', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(...fields), async (value, [field, , send]) => {
        fc.pre(!(field === 'auto_answer_param' && harmless.test(value)) && !ordinary[field]?.test(value))

        const { status, body } = await send(value)

        expect([status, body.details]).toMatchObject([400, [{ field }]])
        expect(api.ports.engine.given).toEqual([])
      }),
      { seed: 20_250_109, numRuns: breadth(125, 500) },
    )
  })

  it('text that means something to the engine is refused in a variable where it could end or split the value', async () => {
    const broken = hostile.filter((value) => /[\0\n\r{}[\]'\\,]/.test(value))
    await fc.assert(
      fc.asyncProperty(broken, async (value) => {
        const { status, body } = await originate({ calledId: '9196', variables: { x_mine: value } })

        expect([status, body.details]).toMatchObject([400, [{ field: 'variables.x_mine' }]])
        expect(api.ports.engine.given).toEqual([])
      }),
      { seed: 20_250_110, numRuns: breadth(75, 300) },
    )
  })
})
