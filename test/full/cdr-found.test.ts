import { beforeAll, describe, expect, it } from 'vitest'
import { takeCdr } from '../../contracts/routes/engine.ts'
import type { Client } from '../../client/index.ts'
import { opened } from '../support/processes/opened.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { engineAuthorization } from '../support/platform/engine-credential.ts'

const domain = 'cdr.example.com'
const neighbour = 'cdr.example.com.au'

/** The contract: an ended call is found within 60 s. */
const within = { timeout: 60_000, interval: 200 }

const rig = opened(async () => {
  const platform = await aPlatform()
  return { platform, close: () => platform.close() }
})

let admin: Client
let stranger: Client

beforeAll(async () => {
  const { platform } = rig()
  admin = await platform.tenant(domain)
  stranger = await platform.tenant(neighbour)
})

const found = async (client: Client, query: string) => {
  const { hits } = await client.call('searchCdrs', { query: { leg: '*' }, body: { query } })
  return hits.hits.map(({ _source }) => _source ?? {})
}

/** Posts a CDR as the engine does. */
const post = (uuid: string, variables: object, credential = rig().platform.platform.kept.engineCredential) =>
  fetch(`${rig().platform.url}${takeCdr.path}?uuid=${uuid}`, {
    method: takeCdr.method,
    headers: {
      'content-type': 'application/json',
      ...engineAuthorization(credential),
    },
    body: JSON.stringify({ variables: { uuid, ...variables } }),
  })

describe('a call that has ended', () => {
  it('the CDR of an ended call is found by its tenant, and by no other, although no hook wants its end', async () => {
    const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9198' } })
    const uuid = info.replace('+OK ', '').trim()

    await expect.poll(() => found(admin, `uuid:"${uuid}"`), within).toHaveLength(1)

    const [cdr] = await found(admin, `uuid:"${uuid}"`)
    expect(cdr).toMatchObject({
      uuid,
      domain_name: domain,
      leg: 'a',
      direction: 'outbound',
      presence_id: `1001@${domain}`,
      extension: '1001',
      hangup_cause: 'NORMAL_CLEARING',
      duration: expect.any(Number),
      billsec: expect.any(Number),
    })
    expect(await found(stranger, `uuid:"${uuid}"`)).toEqual([])
  })
})

describe('a CDR that the engine posts', () => {
  const uuid = 'c0ffee00-0000-4000-8000-00000000c0de'
  const start_uepoch = `${Date.now()}000`

  it('a CDR that the engine posts is found by its tenant, with the posted fields', async () => {
    const leg = { direction: 'inbound', user_name: '1002', domain_name: domain, presence_id: `1000@${domain}` }
    const variables = { ...leg, duration: '7', start_uepoch, ticket: 'T-1' }

    expect((await post(uuid, variables)).status).toBe(200)
    expect((await post(uuid, variables)).status).toBe(200)

    await expect.poll(() => found(admin, 'variables.ticket:"T-1"'), within).toHaveLength(1)
    expect(await found(admin, `uuid:"${uuid}"`)).toMatchObject([{ extension: '1002', duration: 7 }])
    expect(await found(stranger, `uuid:"${uuid}"`)).toEqual([])
  })

  it('a CDR is not accepted from any other sender than the engine', async () => {
    expect((await post(uuid, { domain_name: domain }, 'wrong')).status).toBe(401)
  })
})
