import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServedGateway } from '../../../core/gateways/serve-gateways.ts'
import { writeGatewaysXml } from '../../../functions/engine/write-gateways-xml.ts'
import {
  type SimulatorHarness,
  type WireClient,
  type WireFrame,
  simulatorHarness,
} from '../../support/engine/simulator-harness.ts'
import { recordedExchanges } from '../../support/engine/engine-replay.ts'
import { fromJson, shapesOf } from '../../support/engine/engine-shape.ts'

const domain = 'acme.example.com'

/** A gateway as the recorded engine was served it. */
const served = (name: string, parameters: Readonly<Record<string, string>>): ServedGateway => ({
  name: `${domain}_${name}`,
  domain,
  revision: '1-1795218906419-7',
  parameters: {
    register: 'true',
    realm: '127.0.0.1',
    proxy: '127.0.0.1:25099',
    username: 'pbx',
    password: 'secret',
    'register-transport': 'udp',
    'expire-seconds': '600',
    'retry-seconds': '30',
    extension: 'auto_to_user',
    context: 'public',
    ...parameters,
  },
  variables: {},
})

const recordedGateways = [
  served('trunk', {}),
  served('refused', { username: 'bad', password: 'wrong' }),
  served('static', { username: 'none', register: 'false' }),
]

let gateways: readonly ServedGateway[]
let harness: SimulatorHarness
let listener: WireClient
let commander: WireClient
beforeEach(async () => {
  gateways = []
  harness = await simulatorHarness({ gateways: async () => writeGatewaysXml(gateways) })
  listener = await harness.login()
  commander = await harness.login()
  await listener.command('event json CUSTOM sofia::gateway_add sofia::gateway_state sofia::gateway_delete')
})
afterEach(() => harness.close())

const profile = async (command: string) => (await commander.command(`api sofia profile external ${command}`)).body
/** The events so far that were not taken yet. */
const events = async () =>
  (await listener.drain()).filter(({ headers }) => headers.get('Content-Type') === 'text/event-json')
const tales = (frames: readonly WireFrame[]) =>
  frames.map(({ body }) => {
    const of = (name: string) => fromJson(body).pairs.find(([header]) => header === name)?.[1]
    return `${of('Gateway')?.replace(`${domain}_`, '')} ${of('State') ?? of('Event-Subclass')?.replace('sofia::gateway_', '')}`
  })

test('a gateway registers within two ticks, and its events are as recorded', async () => {
  gateways = recordedGateways.slice(0, 1)

  await profile('rescan')
  await harness.time.advance(3_000)

  const recorded = recordedExchanges('events/gateways.json')
    .flatMap(({ frames }) => frames)
    .filter(({ body }) => body.includes('_trunk"'))
    .slice(3, 7)
  const heard = await events()
  expect(tales(heard)).toEqual(['trunk add', 'trunk TRYING', 'trunk REGISTER', 'trunk REGED'])
  expect(shapesOf(heard)).toEqual(shapesOf(recorded))
})

test('a gateway with a wrong password fails, waits, and tries again later each time', async () => {
  gateways = recordedGateways.slice(1, 2)

  await profile('rescan')
  await harness.time.advance(36_000)

  const attempt = ['refused TRYING', 'refused FAILED', 'refused FAIL_WAIT']
  expect(tales(await events())).toEqual(['refused add', ...attempt, 'refused UNREGED', ...attempt])
})

test('a gateway that does not register is up at once and sends no state', async () => {
  gateways = recordedGateways.slice(2)

  await profile('rescan')
  await harness.time.advance(5_000)

  expect(tales(await events())).toEqual(['static add'])
  expect((await commander.command('api sofia xmlstatus gateway')).body).toMatch(
    /<state>NOREG<\/state>\s*<status>UP<\/status>/,
  )
})

test('the lists of gateways, and the answers about a single one, are as recorded', async () => {
  gateways = recordedGateways
  await profile('rescan')
  await harness.time.advance(3_000)

  const recorded = recordedExchanges('api/gateways').filter(({ sent }) => sent.startsWith('api '))
  const figures = (text: string) =>
    text
      .replaceAll(/\(retry: \d+s\)|<retry>\d+s<\/retry>|<uptime-usec>\d+</g, 'a time')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'an address')
      .split('\n')
      .map((line) =>
        line
          .replace(/\binternal\b/, 'phones')
          .trim()
          .replaceAll(/ +/g, ' '),
      )
      .toSorted()
  expect(recorded).toHaveLength(6)
  for (const { sent, frames } of recorded) {
    const { body } = await commander.command(sent.trimEnd())
    expect(figures(body), sent).toEqual(figures(frames[0]?.body ?? ''))
  }
})

test('a killed gateway is gone by name at once but listed until the next tick, and a rescan keeps the others', async () => {
  gateways = recordedGateways
  await profile('rescan')
  await harness.time.advance(3_000)
  const listed = async () =>
    (await commander.command('api sofia status')).body.match(/acme.example.com_\w+/g)?.toSorted()

  expect(await profile(`killgw ${domain}_trunk`)).toBe('+OK gateway marked for deletion.\n')
  expect(await profile(`killgw ${domain}_trunk`)).toBe('-ERR no such gateway.\n')
  expect(await listed()).toHaveLength(3)
  await harness.time.advance(2_000)

  expect(await listed()).toEqual([`${domain}_refused`, `${domain}_static`])
  await events()
  await profile('rescan')
  expect(tales(await events())).toEqual(['trunk add'])
})

test('an engine whose platform does not answer keeps its gateways', async () => {
  gateways = recordedGateways
  await profile('rescan')
  gateways = []

  await profile('rescan')

  expect((await commander.command('api sofia status')).body.match(/\tgateway\t/g)).toHaveLength(3)
})
