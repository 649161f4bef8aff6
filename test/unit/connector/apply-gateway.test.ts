import { expect, test } from 'vitest'
import { prepareGateway } from '../../../connector/commands/apply-gateway.ts'
import { ValueRefused } from '../../../connector/commands/command-line.ts'
import { prepareDrop } from '../../../connector/commands/drop-registrations.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'

const command = { kind: 'apply-gateway', name: 'trunk' } as const
const domain = 'a.example.com'

const row = (name: string) => `${name.padStart(25)}\tgateway\t  ${'sip:x@192.0.2.9'.padStart(40)}\tREGED\n`
const listOf = (names: readonly string[]) => names.map((name) => row(`external::a.example.com_${name}`)).join('')

/** An engine that lists a killed gateway so often before it is gone. */
function anEngine({ shown = 0, rescan = 'Reload XML [Success]\n+OK scan complete\n' } = {}) {
  const lines: string[] = []
  let left = shown
  const api = async (line: string) => {
    lines.push(line)
    if (line.includes(' killgw ')) return '+OK gateway marked for deletion.\n'
    if (line === 'sofia status') return listOf((left -= 1) < 0 ? ['trunk2'] : ['trunk', 'trunk2'])
    return rescan
  }
  return { link: { api }, lines }
}

test('a gateway is removed, and the engine asks for gateways again only when it is gone', async () => {
  const time = manualTime(0)
  const { link, lines } = anEngine({ shown: 2 })

  const outcome = prepareGateway(command, domain)(link, time.timers)
  await settle()
  expect(lines).not.toContain('sofia profile external rescan')
  await time.advance(1_000)

  expect(await outcome).toEqual({ state: 'done', text: '+OK\n' })
  expect(lines).toEqual([
    'sofia profile external killgw a.example.com_trunk',
    'sofia status',
    'sofia status',
    'sofia status',
    'sofia profile external rescan',
  ])
})

test('a gateway that the engine does not let go is reported after six seconds, and nothing is asked anew', async () => {
  const time = manualTime(0)
  const { link, lines } = anEngine({ shown: 1_000 })

  const outcome = prepareGateway(command, domain)(link, time.timers)
  await time.advance(10_000)

  expect(await outcome).toMatchObject({ state: 'refused' })
  expect(lines).not.toContain('sofia profile external rescan')
})

test('gateways that change while one is applied are applied together afterwards, and one that stays delays no other', async () => {
  const time = manualTime(0)
  const lines: string[] = []
  let listed: readonly string[] = ['first']
  const link = {
    api: async (line: string) => {
      lines.push(line.replace('sofia profile external ', ''))
      if (line.includes(' killgw ')) return '+OK gateway marked for deletion.\n'
      return line === 'sofia status' ? listOf(listed) : '+OK scan complete\n'
    },
  }
  const apply = (name: string) => prepareGateway({ ...command, name }, domain)(link, time.timers)

  const first = apply('first')
  await settle()
  const others = [apply('second'), apply('stays'), apply('second')]
  await settle()
  expect(lines).toEqual(['killgw a.example.com_first', 'sofia status'])
  listed = ['stays']
  await time.advance(500)
  await time.advance(10_000)

  expect([await first, ...(await Promise.all(others))]).toMatchObject([
    { state: 'done' },
    { state: 'done' },
    { state: 'refused' },
    { state: 'done' },
  ])
  expect(lines.filter((line) => line !== 'sofia status')).toEqual([
    'killgw a.example.com_first',
    'rescan',
    'killgw a.example.com_second',
    'killgw a.example.com_stays',
    'rescan',
  ])
})

test('a lost link ends a round, and the next one is made all the same', async () => {
  const time = manualTime(0)
  let isUp = false
  const api = async (line: string) => {
    if (!isUp) throw new Error('the link is lost')
    return line === 'sofia status' ? '' : '+OK\n'
  }
  const link = { api }

  const lost = prepareGateway(command, domain)(link, time.timers)
  await expect(lost).rejects.toThrow('the link is lost')
  isUp = true

  expect(await prepareGateway(command, domain)(link, time.timers)).toMatchObject({ state: 'done' })
})

test('an engine without the SIP profile of gateways refuses', async () => {
  const { link } = anEngine({ rescan: 'Invalid Profile [external]\n' })

  expect(await prepareGateway(command, domain)(link, manualTime(0).timers)).toMatchObject({ state: 'refused' })
})

test.each([
  ['trunk x', domain],
  ['Trunk', domain],
  ['trunk\nreloadxml', domain],
  ['trunk', 'a_b'],
  ['trunk', 'A.example.com'],
  ['trunk', null],
])('the gateway %j of %j becomes no line', (name, of) => {
  expect(() => prepareGateway({ kind: 'apply-gateway', name }, of)).toThrow(ValueRefused)
})

test('the gateways of a deleted domain are removed with its phones, and no others are', async () => {
  const rows = [
    'external::a.example.com_trunk',
    'external::b.a.example.com_trunk',
    'external::operators-own',
    'other::a.example.com_trunk2',
  ]
  const list = `                     Name\t   Type\t  Data\tState\n${rows.map(row).join('')}`
  const lines: string[] = []
  const api = async (line: string) => {
    lines.push(line)
    return line === 'sofia status' ? list : '+OK\n'
  }

  await prepareDrop({ kind: 'drop-domain-registrations' }, domain)({ api })

  expect(lines.filter((line) => line.includes('killgw'))).toEqual(['sofia profile external killgw a.example.com_trunk'])
})
