import { expect, test } from 'vitest'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import type { EslSession } from '@callplane/esl'
import { observationReport } from '../../../connector/health/observation-report.ts'
import { isReading, readingLink } from '../../../connector/runtime/reading-link.ts'
import { readSettings } from '../../../connector/settings.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const uuid = 'c7f5b3de-53a1-4b0e-9b7b-0123456789ab'

test.each([
  'status',
  'show channels as json',
  'show registrations as json',
  `uuid_dump ${uuid} json`,
  `uuid_exists ${uuid}`,
])('an observed engine gets the command %s', (command) => {
  expect(isReading(command)).toBe(true)
})

test.each([
  'xml_flush_cache',
  `uuid_kill ${uuid}`,
  `uuid_hold ${uuid}`,
  'originate user/1000@acme.example.com &park',
  'sofia profile phones flush_inbound_reg 1000@acme.example.com',
  'reloadxml',
  'status reloadxml',
  'show channels as json\nreloadxml',
  `uuid_dump ${uuid} json `,
  `uuid_exists ${uuid} ${uuid}`,
  'Status',
  '',
])('an observed engine does not get the command %j', async (command) => {
  const sent: string[] = []
  const link = readingLink(() => aLink(sent))(options)

  await expect(link.api(command)).rejects.toThrow('the engine is only observed')
  await expect(link.bgapi(command, 'job')).rejects.toThrow('the engine is only observed')
  expect(sent).toEqual([])
})

test('an observed engine is sent no background job, but is read', async () => {
  const sent: string[] = []
  const link = readingLink(() => aLink(sent))(options)

  expect(await link.api('status')).toBe('+OK')
  await expect(link.bgapi('status', 'job')).rejects.toThrow('the engine is only observed')
  expect(sent).toEqual(['status'])
})

test('a leg and its account belong to the tenant to which the settings assign its context or domain', async () => {
  const store = { exists: async (name: string) => name === 'acme.example.com' || name === 'pbx.local' }
  const tenants = new Map([['pbx.local', 'acme.example.com']])
  const registry = new ChannelRegistry(domainNames(store, movableClock(), tenants))
  const leg = (fields: Record<string, string>) => (name: string) => fields[name]
  const placed = { 'Call-Direction': 'inbound', variable_user_name: '1000', variable_domain_name: 'PBX.local' }

  const mapped = await registry.learn(uuid, leg(placed), 'engine')
  const other = await registry.learn('other', leg({ 'Caller-Context': 'public' }), 'engine')

  expect(mapped).toMatchObject({ domain: 'acme.example.com', presenceId: '1000@acme.example.com' })
  expect(other).toMatchObject({ domain: '', presenceId: '' })
})

test('a summary of what was read, and of contexts that belong to no tenant, is logged after a minute and then each hour', async () => {
  const [time, log, stopping] = [manualTime(), capturedLog(), new AbortController()]
  const report = observationReport({ ...time, log })
  const followed = report.follow(() => ({ eventsRead: 7, gaps: 1, lag: 3 }), stopping.signal)
  for (const context of ['public', 'public', 'default']) {
    report.unowned((name) => (name === 'Caller-Context' ? context : undefined))
  }

  await time.advance(60_000 - 1)
  expect(log.lines).toEqual([])
  await time.advance(1)
  await time.advance(59 * 60_000)
  await time.advance(60 * 60_000)

  expect(log.lines).toMatchObject(
    [1, 60, 120].map((minutes) => ({
      message: 'what was heard of observed engines',
      keys: { minutes, eventsRead: 7, eventsPublished: 0, gaps: 1, unowned: 'public: 2, default: 1' },
    })),
  )
  expect(log.lines[0]?.keys).not.toHaveProperty('lag')
  stopping.abort()
  await followed
})

test('made-up names of contexts fill neither the memory nor the log', async () => {
  const [time, log, stopping] = [manualTime(), capturedLog(), new AbortController()]
  const report = observationReport({ ...time, log })
  const followed = report.follow(() => ({}), stopping.signal)

  for (let index = 0; index < 1_000; index++) report.unowned(() => `context-${index}`)
  await time.advance(60_000)

  expect(String(log.lines[0]?.keys['unowned']).split(', ')).toHaveLength(20)
  stopping.abort()
  await followed
})

const env = { ENGINE_URL: 'esl://:secret@192.0.2.1', HEALTH_PORT: '0' }

test('an engine is controlled unless the settings say that it is observed', () => {
  expect(readSettings(env).observing).toBeUndefined()
  expect(readSettings({ ...env, ENGINE_MODE: 'observe' }).observing).toEqual({ tenants: new Map() })
})

test('a setting assigns contexts and domains of an observed engine to tenants', () => {
  const ENGINE_TENANTS = 'Public=acme.example.com, pbx.local=Acme.example.com'

  expect(readSettings({ ...env, ENGINE_MODE: 'observe', ENGINE_TENANTS }).observing?.tenants).toEqual(
    new Map([
      ['public', 'acme.example.com'],
      ['pbx.local', 'acme.example.com'],
    ]),
  )
})

test.each([
  ['ENGINE_MODE must be control or observe', { ENGINE_MODE: 'watch' }],
  ['ENGINE_TENANTS needs ENGINE_MODE=observe', { ENGINE_TENANTS: 'public=acme.example.com' }],
  ['ENGINE_TENANTS must be a list', { ENGINE_MODE: 'observe', ENGINE_TENANTS: 'public' }],
  [
    'ENGINE_TENANTS must be a list',
    { ENGINE_MODE: 'observe', ENGINE_TENANTS: 'a=b.example.com,b.example.com=c.example.com' },
  ],
  ['ENGINE_TENANTS must be a list', { ENGINE_MODE: 'observe', ENGINE_TENANTS: 'a=b.example.com,A=c.example.com' }],
])('a wrong setting of observed engines says that %s', (problem, more) => {
  expect(() => readSettings({ ...env, ...more })).toThrow(problem)
})

const options = {
  host: '192.0.2.1',
  port: 8021,
  password: 'secret',
  name: 'commands',
  subscribe: [],
  onEvent: () => {},
  onState: () => {},
}

function aLink(sent: string[]): EslSession {
  return {
    state: { kind: 'ready' },
    heardAt: 0,
    counts: { connections: 1, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 },
    api: async (command) => {
      sent.push(command)
      return '+OK'
    },
    bgapi: async (command) => void sent.push(command),
    resubscribe: async () => {},
    close: async () => {},
  }
}
