// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
import { describe, expect, it } from 'vitest'
import { checkGrammar } from '../../../core/default-routes/step-grammar.ts'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as readDefaultRoute } from '../../../functions/default-routes/read-default-route.ts'
import { anApi } from '../../support/platform/api.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { aRoute } from '../../support/records/records.ts'

const samples = badInputs('callflow-steps')
const groups = ["another tenant's accounts", "another domain's events", 'engine commands', 'files of the engine']
const hostile = groups.flatMap((group) => samples(group).map((sample) => [group, sample] as const))

async function setUp() {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ domain: 'a.example.com', role: 'admin' }))) }
  const create = (callflow: unknown) =>
    api.call(createDefaultRoute, { headers, body: { destination_number: '1', callflow } })
  return { api, headers, create }
}

describe('a callflow that would reach', () => {
  it.each(hostile)(
    'a callflow that would reach %s by %s is refused with the place of the step, also when it is nested',
    async (_group, sample) => {
      const { api, create } = await setUp()
      const step: unknown = JSON.parse(sample)

      const answer = await create([{ answer: '' }, step])
      const nested = await create([{ queue: { name: 'main', timer: { actions: [step] } } }])

      expect(answer).toMatchObject({ status: 400, body: { status: 'error', code: 'invalid_field' } })
      expect(answer.body.details).toEqual([
        { field: expect.stringMatching(/^callflow\[1\]/), problem: expect.any(String) },
      ])
      expect(nested.body.details[0].field).toMatch(/^callflow\[0\]\.queue\.timer\.actions\[0\]/)
      expect((await api.ports.defaultRoutes.list('a.example.com')).routes).toEqual([])
    },
  )

  it.each(hostile)('a stored step that would reach %s by %s is shown as ignored', async (_group, sample) => {
    const { api, headers } = await setUp()
    const route = aRoute({ domain: 'a.example.com', callflow: [{ answer: '' }, JSON.parse(sample)] })
    await api.ports.defaultRoutes.create(route, (await api.ports.defaultRoutes.list(route.domain)).edition)

    const { status, body } = await api.call(readDefaultRoute, { params: { route_id: route.id }, headers })

    expect([status, body.callflow]).toEqual([200, route.callflow])
    expect(body.ignored).toEqual(expect.arrayContaining([expect.stringMatching(/^callflow\[1\]/)]))
  })
})

it.each<[string, unknown]>([
  ['a number of the default routes', { goto: 'default:9196' }],
  ['the dialled number again', { goto: '${destination_number}' }],
  [
    'a step of this route',
    { if: { expression: '1', then: [{ goto: 'local:tag:x' }], else: [{ answer: '', tag: 'x' }] } },
  ],
  [
    'accounts of the domain, one after the other',
    {
      bridge: {
        strategy: 'failover',
        codecs: ['PCMA', 'opus@8000h'],
        parameters: ['continue_on_fail=true'],
        endpoints: [
          { type: 'user', name: '1000', parameters: ['x_a=1'] },
          { type: 'user', name: 'ann.lee@a.example.com' },
        ],
      },
    },
  ],
  [
    'a gateway with the dialled number',
    { bridge: { endpoints: [{ type: 'gateway', name: 'gw', dialString: '00$1' }] } },
  ],
  ['an account by the dialled number', { bridge: { endpoints: [{ type: 'user', name: '10$1' }] } }],
  ['a later jump', { schedule: { action: 'goto', data: '9196', seconds: 60 } }],
  ['a sound in a folder of the domain', { playback: { files: [{ name: 'greetings/Привіт 1.wav', type: 'wav' }] } }],
  ['a sound by the dialled number', { playback: 'sounds/${destination_number}.wav' }],
  ['a mailbox', { voicemail: { user: '${destination_number}', check: true } }],
  ['a conference of the domain', { conference: 'sales@a.example.com' }],
  ['a queue', { queue: { name: 'main' } }],
])('a callflow with %s is taken', async (_title, step) => {
  const { create } = await setUp()

  expect(await create([step])).toMatchObject({ status: 200 })
})

it.each(['$1@b.example.com', '$1,loopback', '${user_name}', '$12', '$1a', '$1/x'])(
  'an account to call by the lookup %s is refused with its place',
  async (name) => {
    const { create } = await setUp()

    expect(await create([{ bridge: { endpoints: [{ type: 'user', name }] } }])).toMatchObject({
      status: 400,
      body: { details: [{ field: 'callflow[0].bridge.endpoints[0].name' }] },
    })
  },
)

it.each<[string, unknown, string]>([
  ['an account to act as', { setUser: '1000' }, 'setUser'],
  ['an account of the own domain in other letters', { setUser: '1000@A.Example.com' }, 'setUser'],
  ['an account to call besides', { originate: { endpoint: { type: 'user', name: '1000' } } }, 'originate'],
  ['a call to listen to', { eavesdrop: { user: '1000', mode: 'whisper_a' } }, 'eavesdrop'],
  ['an event of its own', { sendEvent: { subclass: 'custom::paid', headers: { x_order: '4711' } } }, 'sendEvent'],
  ['a line of log', { log: 'call of ${caller_id_number}: <ok>' }, 'log'],
  ['a line of log with its level', { log: { level: 'warning', text: 'late' } }, 'log'],
  ['a timer of a queue', { queue: { name: 'main', timer: { actions: [] } } }, 'queue.timer'],
  ['a later jump to a step', { schedule: { action: 'goto', data: 'local:tag:x', seconds: 60 } }, 'schedule.data'],
  ['a jump to a step that is not there', { goto: 'local:tag:x' }, 'goto'],
  ['a count of calls', { if: { expression: '&limit(5)' } }, 'if.expression'],
  ['a step that runs together with the others', { answer: '', async: true }, 'async'],
])('a callflow with %s is refused with its place, because the engine cannot run it', async (_title, step, field) => {
  const { create } = await setUp()

  expect(await create([{ answer: '' }, step])).toMatchObject({
    status: 400,
    body: { code: 'invalid_field', details: [{ field: `callflow[1].${field}` }] },
  })
})

it('a callflow cannot name accounts of another domain whose name ends with the same text', async () => {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ domain: 'example.com', role: 'admin' }))) }
  const body = { destination_number: '1', callflow: [{ setUser: '1000@a.example.com' }] }

  expect(await api.call(createDefaultRoute, { headers, body })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'callflow[0].setUser' }] },
  })
})

const phone = { type: 'user', name: '1000' }
it.each<[string, string, (size: number) => unknown, number]>([
  ['seconds until a jump', 'schedule', (seconds) => ({ action: 'goto', data: '1', seconds }), 86_400],
  ['endpoints', 'bridge', (size) => ({ endpoints: Array.from({ length: size }, () => phone) }), 20],
  ['codecs', 'bridge', (size) => ({ codecs: Array.from({ length: size }, () => 'PCMA') }), 20],
  ['letters of a codec', 'bridge', (size) => ({ codecs: ['a'.repeat(size)] }), 32],
  ['addresses of a redirect', 'sipRedirect', (size) => Array.from({ length: size }, () => 'sip:1@a.example.com'), 10],
  ['letters of an event', 'sendEvent', (size) => ({ subclass: `custom::${'a'.repeat(size)}` }), 64],
  ['digits to jump to', 'goto', (size) => '1'.repeat(size), 64],
  ['letters of a tag to jump to', 'goto', (size) => `local:tag:${'a'.repeat(size)}`, 120],
  ['letters of a login', 'setUser', (size) => 'a'.repeat(size), 64],
])('the most %s of a step of kind %s, and not one more, pass the grammar', (_what, kind, argument, most) => {
  const problemsOf = (size: number) => {
    const problems: string[] = []
    checkGrammar(kind, argument(size), kind, { domain: 'a.example.com', refuse: (at) => problems.push(at) })
    return problems
  }

  expect([problemsOf(most), problemsOf(most + 1).length]).toEqual([[], 1])
})

it.each<[string, (size: number) => object, number]>([
  ['milliseconds of sleep', (size) => ({ sleep: size }), 3_600_000],
  ['seconds until a hang-up', (size) => ({ schedule: { action: 'hangup', data: '', seconds: size } }), 86_400],
  ['repetitions of a tone', (size) => ({ playback: { tone: 'busy', loops: size } }), 1_000],
  ['digits of a slot', (size) => ({ park: '1'.repeat(size) }), 10],
  ['digits of a PIN', (size) => ({ conference: { name: 'sales', pin: '1'.repeat(size) } }), 16],
])('a step may have the most %s and not one more', async (_what, step, most) => {
  const { create } = await setUp()

  expect([(await create([step(most)])).status, (await create([step(most + 1)])).status]).toEqual([200, 400])
})
