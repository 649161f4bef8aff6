import { readFileSync } from 'node:fs'
import { XMLParser } from 'fast-xml-parser'
import { beforeEach, expect, it } from 'vitest'
import { handler as createGateway } from '../../../functions/gateways/create-gateway.ts'
import { handler as deleteGateway } from '../../../functions/gateways/delete-gateway.ts'
import { handler as updateGateway } from '../../../functions/gateways/update-gateway.ts'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { preprocessXml } from '../../../packages/simulated-freeswitch/lookups/preprocess-xml.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  htmlEntities: true,
  isArray: (name) => ['domain', 'gateway', 'param', 'variable'].includes(name),
})

const recording = new URL('../../fixtures/freeswitch/xml-curl/api-sofia-rescan-4.http', import.meta.url)
const recorded = readFileSync(recording, 'utf8').trim().split(/\r?\n/).at(-1) ?? ''

/** The engine's question at a rescan, as recorded, about another profile. */
const question = (profile = 'external') => recorded.replace('profile=internal', `profile=${profile}`)

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

async function ask(rawBody = question()) {
  const basic = engineAuthorization(api.ports.secrets.engine)
  const { status, text } = await api.call(lookUpDirectory, {
    rawBody,
    headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(status).toBe(200)
  return text
}

interface Named {
  readonly name: string
  readonly value: string
}

/** The gateways of an answer, by name, as the engine reads it. */
async function gateways(rawBody?: string) {
  const xml = await ask(rawBody)
  expect(preprocessXml(xml)).toEqual({ text: xml, directives: [] })
  const { section } = parser.parse(xml).document
  const all: { name: string; param: Named[]; variables?: { variable: object[] } }[] = (section.domain ?? []).flatMap(
    (domain: { user: { gateways: { gateway: object[] } } }) => domain.user.gateways.gateway,
  )
  const valuesOf = (params: readonly Named[]) => Object.fromEntries(params.map(({ name, value }) => [name, value]))
  return Object.fromEntries(
    all.map(({ name, param, variables }) => [name, { ...valuesOf(param), variables: variables?.variable ?? [] }]),
  )
}

const trunk = (given: object = {}) => ({
  name: 'trunk',
  realm: 'sip.example.net',
  // An address, so that no name is looked up.
  proxy: '93.184.216.34',
  username: 'pbx',
  password: "s3cr3t&'$$x",
  ...given,
})
const create = (given: object = {}) => api.call(createGateway, { headers, body: trunk(given) })

it('the engine gets a gateway with its password, under a name that contains the domain', async () => {
  await create({ proxy: '93.184.216.34:5080', transport: 'tcp', expires: 300, codecs: ['PCMA', 'PCMU'] })

  expect(await gateways()).toEqual({
    'a.example.com_trunk': {
      register: 'true',
      realm: 'sip.example.net',
      proxy: '93.184.216.34:5080',
      'from-domain': 'sip.example.net',
      username: 'pbx',
      password: "s3cr3t&'$$x",
      'caller-id-in-from': 'true',
      'register-transport': 'tcp',
      'expire-seconds': '300',
      'retry-seconds': '30',
      extension: 'auto_to_user',
      context: 'public',
      variables: [
        { name: 'rtp_secure_media_outbound', value: 'forbidden', direction: 'outbound' },
        { name: 'absolute_codec_string', value: 'PCMA,PCMU', direction: 'outbound' },
        { name: 'svc_gateway_revision', value: expect.stringMatching(/^2-\d+-1$/), direction: 'inbound' },
      ],
    },
  })
})

it('the engine registers as the user of a gateway, whatever number its calls show', async () => {
  await create({ caller_id: 'number:+380441234567' })
  await create({ name: 'second', from_user: 'office' })

  const served = await gateways()

  expect(served).toMatchObject({
    'a.example.com_trunk': { username: 'pbx', 'caller-id-in-from': 'true' },
    'a.example.com_second': { 'from-user': 'office', 'caller-id-in-from': 'true' },
  })
  expect(served['a.example.com_trunk']).not.toHaveProperty('from-user')
})

it('codecs that the engines do not load are not served, and encryption in their words', async () => {
  await create({ transport: 'tls', srtp: 'required' })
  const stored = await api.ports.gateways.read('a.example.com', 'trunk')
  if (stored) await api.ports.gateways.replace({ ...stored, codecs: ['G729', 'PCMA'], version: 2 })

  expect((await gateways())['a.example.com_trunk']).toMatchObject({
    'register-transport': 'tls',
    variables: [
      { name: 'rtp_secure_media_outbound', value: 'mandatory' },
      { name: 'absolute_codec_string', value: 'PCMA' },
      {},
    ],
  })
})

it('a gateway whose name leads to a local address is not served and reported, and the others are served', async () => {
  await create()
  await create({ name: 'second' })
  const stored = await api.ports.gateways.read('a.example.com', 'trunk')
  if (stored) await api.ports.gateways.replace({ ...stored, proxy: 'localhost:5060', version: 2 })

  expect(Object.keys(await gateways())).toEqual(['a.example.com_second'])
  expect(api.log.lines).toContainEqual({
    level: 'warn',
    message: 'gateway not served: its proxy leads to an address that is not permitted',
    keys: expect.objectContaining({ domain: 'a.example.com', gateway: 'trunk' }),
  })
})

it('the engine gets the gateways of all domains in one answer', async () => {
  await create()
  headers = { ...(await api.as(await api.account({ domain: 'b.example.com', role: 'admin' }))) }
  await create({ register: false, username: undefined, password: undefined, networks: ['192.0.2.0/24'] })

  const served = await gateways()

  expect(Object.keys(served)).toEqual(['a.example.com_trunk', 'b.example.com_trunk'])
  expect(served['b.example.com_trunk']).toMatchObject({ register: 'false' })
  expect(served['b.example.com_trunk']).not.toHaveProperty('password')
})

it('gateways that are disabled, of another profile or of a deleted domain are not served', async () => {
  await create({ enabled: false })
  await create({ name: 'second' })

  expect(Object.keys(await gateways())).toEqual(['a.example.com_second'])
  expect(await ask(question('internal'))).toContain('not found')
  await api.ports.domains.beginDeletion('a.example.com', api.clock.now())
  expect(await ask()).toContain('not found')
})

it('a gateway whose password cannot be decrypted is reported, and the others are served', async () => {
  await create()
  await create({ name: 'second' })
  const stored = await api.ports.gateways.read('a.example.com', 'trunk')
  if (stored) await api.ports.gateways.replace({ ...stored, sealedPassword: 'AAAA', version: 2 })

  expect(Object.keys(await gateways())).toEqual(['a.example.com_second'])
  expect(api.log.lines).toContainEqual({
    level: 'error',
    message: 'gateway not served: its password cannot be opened',
    keys: expect.objectContaining({ domain: 'a.example.com', gateway: 'trunk' }),
  })
})

it('gateways are not served without the engine credential', async () => {
  await create()
  const answer = await api.call(lookUpDirectory, {
    rawBody: question(),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
  })

  expect(answer.status).toBe(401)
})

it('each change of a gateway orders the engines to apply it, without its secrets', async () => {
  const at = { headers, params: { gateway_name: 'trunk' } }
  await create()
  await api.call(updateGateway, { ...at, body: { enabled: false } })
  await api.call(deleteGateway, at)

  const order = { kind: 'apply-gateway', name: 'trunk' }
  expect(api.ports.engine.given.map(({ command }) => command)).toEqual([order, order, order])
  expect(api.ports.engine.given.map(({ scope }) => scope.domain)).toEqual([
    'a.example.com',
    'a.example.com',
    'a.example.com',
  ])
})
