import { afterEach, expect, test } from 'vitest'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as hangUpChannel } from '../../../functions/channels/hang-up-channel.ts'
import { handler as holdChannel } from '../../../functions/channels/hold-channel.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { aChannelFor } from '../../support/platform/api-commands.ts'
import type { Api, ApiAnswer, ApiRequest } from '../../support/platform/api.ts'
import { aCommandPath } from '../../support/connector/command-path.ts'

let close = async () => {}
afterEach(() => close())

const requests: readonly [string, (api: Api, given: ApiRequest) => Promise<ApiAnswer>][] = [
  ['originate', (api, { headers }) => api.call(originateCall, { headers, body: { calledId: '9196' } })],
  ['eavesdrop', (api, given) => api.call(eavesdropChannel, { ...given, body: {} })],
  ['hold', (api, given) => api.call(holdChannel, { ...given, body: { state: 'hold' } })],
  ['hangup', (api, given) => api.call(hangUpChannel, given)],
  [
    'flush-account',
    (api, { headers }) =>
      api.call(updateAccount, { headers, params: { account_id: '1001' }, body: { variables: ['x_own=1'] } }),
  ],
]

test.each(requests)(
  "the connector's line of a command names the request that it is part of: %s",
  async (kind, send) => {
    const path = await aCommandPath()
    close = path.close
    await path.connect()
    const account = await path.api.ports.accounts.read('a.example.com', '1000')
    if (account === undefined) throw new Error('the account of the test is gone')
    const headers = { ...(await path.api.as(account)), 'x-request-id': 'request-4711' }

    const { status } = await path.finish(send(path.api, { headers, params: { channel_id: aChannelFor(path, 'hold') } }))
    const lines = () =>
      path.log.lines.filter(({ message, keys }) => message === 'a command ended' && keys['kind'] === kind)
    await path.until(() => lines().length > 0)

    expect(status).toBe(200)
    expect(lines()).toMatchObject([{ keys: { kind, requestId: 'request-4711', domain: 'a.example.com' } }])
  },
)
