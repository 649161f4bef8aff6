import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { widthOf } from '../../../cli/output/text-width.ts'
import { type Rotes, screen } from '../../support/cli/screen.ts'

const widths = [60, 80, 120, 200]
const uuid = '5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'
const placed = { originateCall: { status: 'OK', info: `+OK ${uuid}\n` } }
const other = '9c858901-8a57-4791-81fe-4c455b099bc9'
const noon = Date.UTC(2026, 0, 15, 12)

const leg = (fields: object) => ({
  uuid,
  call_uuid: uuid,
  presence_id: 'reception@pbx.berlin.example.com',
  cid_num: '4930123456',
  dest: '1001',
  callstate: 'ACTIVE',
  application: 'echo',
  created_epoch: String(noon / 1000 - 80),
  ...fields,
})
const channels = (...rows: readonly object[]) => ({
  listChannels: { status: 'OK', data: { row_count: rows.length, rows } },
})
const error = (status: number, code: string, info: string, details: readonly object[] = []) => [
  { status, body: { status: 'error', code, info, details, requestId: 'b5c1a2f0-1c1e-4f7e-8d5e-2f6f9b1f7a3c' } },
]
const record = (cause: string) => ({ readCdr: { status: 'OK', data: { uuid, hangup_cause: cause } } })

const delivery = (fields: object) => ({
  id: `msg_${'2KWPBgLlAfxdpx2AI54pPJ85f4W'.padEnd(32, '0')}`,
  hook: '65a51f000000000000000001',
  event: 'CHANNEL_HANGUP_COMPLETE',
  uuid,
  sequence: 1234,
  created: noon - 3_600_000,
  state: 'delivered',
  ...fields,
})
const attempt = (fields: object) => ({ at: noon, durationMs: 12, ...fields })

const event = (sequence: number, name: string, fields: object) => ({
  sequence,
  at: noon + sequence * 1000,
  name,
  uuid,
  event: { 'Caller-Caller-ID-Number': '4930123456', 'Caller-Destination-Number': '1001', ...fields },
})
const events = [
  event(1, 'CHANNEL_CREATE', {}),
  event(2, 'CHANNEL_ANSWER', {}),
  event(3, 'CHANNEL_HANGUP_COMPLETE', { 'Hangup-Cause': 'USER_BUSY' }),
  { ...event(4, 'CUSTOM->svc::gateway_state', {}), uuid: '', event: { Gateway: 'trunk', State: 'FAIL_WAIT' } },
]

const hit = (_id: string, to: string, cause: string, at: string) => ({
  _id,
  fields: {
    created_time: [at],
    direction: ['outbound'],
    caller_id_number: ['1001'],
    destination_number: [to],
    duration: [63],
    hangup_cause: [cause],
  },
})

const failedTest = {
  status: 'OK',
  data: {
    state: 'failed',
    reason: 'dns',
    reply: null,
    refusedBy: [],
    sent: { method: 'POST', url: 'https://receiver.example.com/hook', headers: {}, body: '{}' },
  },
}

const audit = (fields: object) => ({
  at: noon - 300_000,
  caller: 'admin@pbx.berlin.example.com',
  sourceAddress: '2001:db8::17',
  method: 'PUT',
  path: '/api/v2/routes/default/65a51f000000000000000001',
  status: 200,
  fields: ['callflow', 'name'],
  ...fields,
})

/** Each screen: its command, and the answers that differ from those of the API description's examples. */
const screens: Readonly<Record<string, readonly [command: string, rotes?: Rotes]>> = {
  'accounts-get': ['accounts get 1000'],
  'accounts-list': ['accounts list'],
  api: ['api'],
  audit: [
    'audit',
    { listAudit: { status: 'OK', data: [audit({}), audit({ status: 403, note: 'refused: the role may not' })] } },
  ],
  'blacklists-get': ['blacklists get spam'],
  'call-answered': [`call 9196 --from 1001`, { ...placed, ...channels(leg({})) }],
  'call-busy': ['call 5100 --from 1001', { ...placed, ...channels(), ...record('USER_BUSY') }],
  'call-detached': ['call 9196 --from 1001 --detach'],
  'call-no-phone': [
    'call 9196 --from 1001',
    { originateCall: error(400, 'engine_refused', '-ERR USER_NOT_REGISTERED') },
  ],
  'cdr-get': [`cdr get ${uuid}`],
  'cdr-search': [
    'cdr search',
    {
      searchCdrs: {
        hits: {
          hits: [
            hit(uuid, '9196', 'NORMAL_CLEARING', '2026-01-15T10:02:03.000Z'),
            hit(other, '+4930123456789', 'NO_ROUTE_DESTINATION', '2026-01-12T09:00:00.000Z'),
          ],
        },
      },
    },
  ],
  'channels-list': ['channels list', channels(leg({}), leg({ uuid: other, callstate: 'RINGING', dest: '1002' }))],
  doctor: ['doctor'],
  'domains-get': ['domains get example.com'],
  'domains-list': ['domains list'],
  'error-command': ['chanels list'],
  'error-event': [
    'hooks create --event CHANNEL_ANSWERED --url https://receiver.example.com/',
    {
      createHooks: error(
        400,
        'invalid_field',
        'event: must be an event of the catalogue; did you mean CHANNEL_ANSWER?',
        [{ field: 'event', problem: 'must be an event of the catalogue; did you mean CHANNEL_ANSWER?' }],
      ),
    },
  ],
  'error-ended-call': [`hangup ${uuid}`, { hangUpChannel: error(404, 'not_found', 'no such channel') }],
  'error-permission': [
    'tokens list --domain example.com',
    {
      listDomainTokens: error(403, 'permission_denied', 'Permission denied!', [
        { field: 'permission', problem: 'your role lacks the permission "r" of "domain/item"' },
      ]),
    },
  ],
  events: [
    'events',
    { listEvents: { status: 'OK', data: { events, gaps: [], head: 4, next: 4, more: false, isCollected: true } } },
  ],
  'gateways-list': ['gateways list'],
  'hooks-deliveries': [
    'hooks deliveries 65a51f000000000000000001',
    {
      listDeliveries: {
        status: 'OK',
        data: [
          delivery({ attempts: [attempt({ status: 204 })] }),
          delivery({
            state: 'pending',
            event: 'CUSTOM->svc::gateway_state',
            uuid: '',
            attempts: [attempt({ status: 503 })],
          }),
          delivery({ state: 'failed', created: noon - 3 * 86_400_000, attempts: [attempt({ reason: 'dns' })] }),
        ],
      },
    },
  ],
  'hooks-get': ['hooks get 65a51f000000000000000001'],
  'hooks-list': ['hooks list'],
  'hooks-rehearse': ['hooks rehearse 65a51f000000000000000001'],
  'hooks-test': ['hooks test 65a51f000000000000000001', { testHook: failedTest }],
  'recordings-list': [
    `recordings list ${uuid}`,
    {
      readRecording: [
        {
          body: [
            { name: `${uuid}.wav`, status: 'stored', 'content-type': 'audio/wav', size: 32076, createdOn: noon },
            { name: 'second.wav', status: 'failed', 'content-type': 'audio/wav', createdOn: noon - 400 * 86_400_000 },
          ],
        },
      ],
    },
  ],
  rollback: ['rollback --domain example.com'],
  'routes-list': ['routes list'],
  'routes-simulate': ['routes simulate 9196 --from 1000'],
  status: ['status'],
  'tokens-list': ['tokens list --domain example.com'],
  whoami: ['whoami'],
}

it.each(Object.entries(screens))(
  'the screen of %s is the same at four widths, with and without colours',
  async (name, given) => {
    const [command, rotes = {}] = given
    const parts: string[] = []
    for (const columns of widths) {
      const plain = await screen(command.split(' '), { columns, colours: false, rotes })
      const coloured = await screen(command.split(' '), { columns, colours: true, rotes })
      expect(stripVTControlCharacters(coloured.text)).toBe(plain.text)
      const marked = coloured.text.replaceAll('\u001b[', '\\e[')
      parts.push(`$ callplane ${command}   # ${columns} columns, exit code ${plain.exitCode}\n${plain.text}`)
      if (columns === 80) parts.push(`$ callplane ${command}   # in colours\n${marked}`)
    }
    const text = parts.join('\n').replaceAll(/(Node|callplane) \d+\.\d+\.\d+/g, '$1 24.0.0')
    await expect(text).toMatchFileSnapshot(`screens/${name}.txt`)
  },
)

const lists = Object.entries(screens).filter(([name]) =>
  /-list|search|audit|deliveries|events|rehearse|rollback|api/.test(name),
)

it.each(lists)('no line of the table of %s is wider than the terminal', async (_name, [command, rotes = {}]) => {
  for (const columns of widths) {
    const { text } = await screen(command.split(' '), { columns, colours: false, rotes })
    const table = text.split('\n').filter((line) => !/^(?:not shown here|shortened here|of the latest)/.test(line))
    expect(table.filter((line) => widthOf(line) > columns)).toEqual([])
  }
})
