import { afterEach, beforeEach, expect, test } from 'vitest'
import { gatewayRevision } from '../../../core/gateways/gateway.ts'
import { writeDialplanXml } from '../../../functions/engine/write-dialplan-xml.ts'
import { writeGatewaysXml } from '../../../functions/engine/write-gateways-xml.ts'
import { type SimulatorHarness, type WireClient, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { fromJson } from '../../support/engine/engine-shape.ts'

type Form = Readonly<Record<string, string>>

const domain = 'tenant1.example.com'
const trunk = `${domain}_trunk`
let asked: Form[]
let dialled: string
let routes: (form: Form) => readonly (readonly [application: string, data?: string])[]
let harness: SimulatorHarness
let listener: WireClient

beforeEach(async () => {
  asked = []
  dialled = ''
  routes = ({ 'Hunt-Context': context }) =>
    context === 'public'
      ? [['answer'], ['echo']]
      : [
          ['set', 'hangup_after_bridge=true'],
          ['bridge', dialled],
        ]
  harness = await simulatorHarness({
    gateways: async () =>
      writeGatewaysXml(
        ['trunk', 'away'].map((name) => ({
          name: `${domain}_${name}`,
          domain,
          revision: gatewayRevision({ createdAt: 1, version: 1 }),
          parameters: {
            register: String(name === 'away'),
            realm: 'sip.example.net',
            proxy: '192.0.2.7:5070',
            'retry-seconds': '30',
            password: 'wrong',
          },
          variables: {},
        })),
      ),
    dialplan: async (form) => {
      asked.push(form)
      const actions = routes(form).map(([application, data = '']) => ({ application, data }))
      return writeDialplanXml(form['Hunt-Context'] ?? '', actions)
    },
  })
  listener = await harness.login()
  await listener.command('event json CHANNEL_ANSWER CHANNEL_HANGUP_COMPLETE')
})
afterEach(() => harness.close())

/** Places a call from the phone of 1000 that is bridged to a dial string; returns the answers and ends of all legs. */
async function bridged(dialString: string, ms: number): Promise<string[]> {
  dialled = dialString
  harness.engine.placeCall('1000', domain, { to: '0' })
  await harness.time.advance(ms)
  return tales()
}

async function tales(): Promise<string[]> {
  const frames = (await listener.drain()).filter(({ headers }) => headers.get('Content-Type') === 'text/event-json')
  return frames.map(({ body }) => {
    const of = (name: string) => fromJson(body).pairs.find(([header]) => header === name)?.[1]
    const what = of('Event-Name') === 'CHANNEL_ANSWER' ? 'answered' : of('variable_hangup_cause')
    return `${of('Caller-Destination-Number')} ${what}`
  })
}

test.each([
  ['005100', 'USER_BUSY'],
  ['5101', 'CALL_REJECTED'],
  ['5103', 'UNALLOCATED_NUMBER'],
])('the far end of %s refuses with %s', async (number, cause) => {
  expect(await bridged(`sofia/gateway/${trunk}/${number}`, 1_000)).toEqual([`${number} ${cause}`, `0 ${cause}`])
})

test("any other number is answered by the far end of the gateway, which sees the gateway's caller id", async () => {
  const own = '[origination_caller_id_number=4711]'

  expect(await bridged(`${own}sofia/gateway/${trunk}/380441234567`, 1_000)).toEqual([
    '380441234567 answered',
    '0 answered',
  ])
  const listed = await (await harness.login()).command('api show channels as json')
  const row = JSON.parse(listed.body).rows.find(({ dest }: { dest: string }) => dest === '380441234567')
  expect(row.cid_num).toBe('4711')
})

test('a call through an unregistered gateway ends with GATEWAY_DOWN, and through an unknown one with INVALID_GATEWAY', async () => {
  expect(await bridged(`sofia/gateway/${domain}_away/1`, 1_000)).toEqual(['0 GATEWAY_DOWN'])
  expect(await bridged('sofia/gateway/other.example.com_trunk/1', 1_000)).toEqual(['0 INVALID_GATEWAY'])
})

test('a leg over the limit of its gateway is refused until an earlier one ends', async () => {
  const limited = `[execute_on_originate=limit hash gateway ${trunk} 1 !NORMAL_CIRCUIT_CONGESTION]sofia/gateway/${trunk}`
  await bridged(`${limited}/1`, 1_000)

  expect(await bridged(`${limited}/2`, 1_000)).toEqual(['0 NORMAL_CIRCUIT_CONGESTION'])
  await (await harness.login()).command('api hupall')
  await harness.time.advance(100)
  await tales()
  expect(await bridged(`${limited}/3`, 1_000)).toEqual(['3 answered', '0 answered'])
})

test('a call to a number that begins with 97 makes the far end call the rest of it from the same gateway', async () => {
  await bridged(`sofia/gateway/${trunk}/97380441234567`, 1_000)

  expect(asked.at(-1)).toMatchObject({
    'Hunt-Context': 'public',
    'Hunt-Destination-Number': '380441234567',
    'Hunt-Caller-ID-Number': '1000',
    variable_sip_gateway: trunk,
    variable_sip_network_ip: '192.0.2.7',
    variable_sofia_profile_name: 'external',
  })
  const channels = async () => JSON.parse((await (await harness.login()).command('api show channels as json')).body)
  expect((await channels()).row_count).toBe(3)
  await (await harness.login()).command('api hupall')
  await harness.time.advance(1_000)
  expect((await channels()).row_count).toBe(0)
})

test('a call from a gateway that the platform does not answer may try another engine, as at an engine of the kit', async () => {
  const own = routes
  routes = (form) => {
    if (form['Hunt-Context'] === 'public') throw new Error('away')
    return own(form)
  }

  expect(await bridged(`sofia/gateway/${trunk}/9755`, 1_000)).toContain('55 NORMAL_TEMPORARY_FAILURE')
})
