import { expect, test } from 'vitest'
import { ValueRefused } from '../../../connector/commands/command-line.ts'
import { prepareDrop } from '../../../connector/commands/pending-unregistrations.ts'
import { domain, gatewayEngine } from '../../support/engine/gateway-engine.ts'
import { settle } from '../../support/processes/manual-time.ts'

const command = (name: string) => ({ kind: 'apply-gateway', name }) as const

/** An engine that has taken a gateway over and registered it. */
async function anEngineWith(...names: readonly string[]) {
  const harness = await gatewayEngine()
  for (const name of names) await harness.write(name)
  await harness.engine.gateways.rescan()
  await harness.time.advance(3_000)
  return harness
}

test('a changed gateway is removed, and the engine asks for gateways again only when it is gone', async () => {
  const { link, write, aligner, time, orders, hasCurrent } = await anEngineWith('trunk', 'trunk2')
  await write('trunk', { realm: 'other.example.net' })

  const outcome = aligner().prepare(command('trunk'), domain)(link)
  await time.advance(1_000)
  expect(orders()).toEqual(['killgw trunk'])
  await time.advance(2_000)

  expect(await outcome).toEqual({ state: 'done', text: '+OK\n' })
  expect(orders()).toEqual(['killgw trunk', 'rescan'])
  expect(await hasCurrent('trunk')).toBe(true)
})

test('a gateway that is the same at the engine and in the store keeps its registration', async () => {
  const { link, aligner, orders } = await anEngineWith('trunk')

  expect(await aligner().prepare(command('trunk'), domain)(link)).toMatchObject({ state: 'done' })

  expect(orders()).toEqual([])
})

test.each([
  ['disabled', (harness: Awaited<ReturnType<typeof gatewayEngine>>) => harness.write('trunk', { enabled: false })],
  [
    'deleted',
    async ({ ports }: Awaited<ReturnType<typeof gatewayEngine>>) => {
      const stored = await ports.gateways.read(domain, 'trunk')
      if (stored !== undefined) await ports.gateways.remove(stored)
    },
  ],
])('a %s gateway is removed, and nothing is asked anew', async (_what, change) => {
  const harness = await anEngineWith('trunk')
  await change(harness)

  const outcome = harness.aligner().prepare(command('trunk'), domain)(harness.link)
  await harness.time.advance(4_000)

  expect(await outcome).toMatchObject({ state: 'done' })
  expect(harness.orders()).toEqual(['killgw trunk'])
  expect(harness.engine.gateways.list()).toEqual([])
})

test('a gateway that the engine does not release is reported after six seconds, and delays no other', async () => {
  const { link, write, aligner, time, orders } = await anEngineWith('stays', 'goes')
  await write('stays', { enabled: false })
  await write('goes')
  const stuck = {
    api: async (line: string) => {
      const answer = await link.api(line)
      return line === 'sofia status'
        ? `external::${domain}_stays\tgateway\t  sip:x@192.0.2.9\tREGED\n${answer}`
        : answer
    },
  }
  const applied = aligner()

  const outcomes = [applied.prepare(command('stays'), domain)(stuck), applied.prepare(command('goes'), domain)(stuck)]
  await time.advance(7_000)

  expect(await Promise.all(outcomes)).toMatchObject([{ state: 'refused' }, { state: 'done' }])
  expect(orders()).toEqual(['killgw stays', 'killgw goes', 'rescan'])
})

test('gateways that change while one is applied are applied together afterwards', async () => {
  const { link, write, aligner, time, orders, hasCurrent } = await anEngineWith('first', 'second', 'third')
  const applied = aligner()
  for (const name of ['first', 'second', 'third']) await write(name)

  const first = applied.prepare(command('first'), domain)(link)
  await settle()
  const others = ['second', 'third', 'second'].map((name) => applied.prepare(command(name), domain)(link))
  await settle()
  expect(orders()).toEqual(['killgw first'])
  await time.advance(10_000)

  expect(await Promise.all([first, ...others])).toMatchObject(Array.from({ length: 4 }, () => ({ state: 'done' })))
  expect(orders()).toEqual(['killgw first', 'rescan', 'killgw second', 'killgw third', 'rescan'])
  for (const name of ['first', 'second', 'third']) expect(await hasCurrent(name)).toBe(true)
})

test("an older version that another connector's rescan has brought back is noticed and replaced", async () => {
  const answers: (() => void)[] = []
  let isHeld = false
  const harness = await gatewayEngine(async (answer) => {
    if (isHeld) await new Promise<void>((resolve) => answers.push(resolve))
    return answer
  })
  await harness.write('trunk')
  isHeld = true
  const older = harness.aligner().prepare(command('trunk'), domain)(harness.link)
  await settle()
  await harness.write('trunk', { realm: 'newer.example.net' })
  const newer = harness.aligner().prepare(command('trunk'), domain)(harness.link)
  await settle()
  expect(harness.orders()).toEqual(['rescan', 'rescan'])
  isHeld = false

  for (const answer of answers) {
    answer()
    await settle()
  }
  await harness.time.advance(10_000)

  expect(await Promise.all([older, newer])).toMatchObject([{ state: 'done' }, { state: 'done' }])
  expect(harness.orders()).toContain('killgw trunk')
  expect(await harness.hasCurrent('trunk')).toBe(true)
  expect(harness.engine.gateways.find(`${domain}_trunk`)?.parameters.get('realm')).toBe('newer.example.net')
})

test('a gateway that cannot be served is reported after one rescan', async () => {
  const { link, write, aligner, orders, ports } = await gatewayEngine()
  const gateway = await write('trunk')
  await ports.gateways.replace({ ...gateway, sealedPassword: 'bm90IHNlYWxlZA==', version: 2 })

  expect(await aligner().prepare(command('trunk'), domain)(link)).toMatchObject({ state: 'refused' })

  expect(orders()).toEqual(['rescan'])
})

test('a removed gateway that did not come back is restored when the platform serves it again', async () => {
  let isAway = false
  const { link, write, aligner, time, hasCurrent, engine } = await gatewayEngine(async (answer) => {
    if (isAway) throw new Error('the platform is away')
    return answer
  })
  await write('trunk')
  await engine.gateways.rescan()
  await time.advance(3_000)
  await write('trunk', { realm: 'other.example.net' })
  isAway = true

  const outcome = aligner().prepare(command('trunk'), domain)(link)
  await time.advance(10_000)
  expect(await outcome).toMatchObject({ state: 'refused' })
  expect(await hasCurrent('trunk')).toBe(false)
  isAway = false
  await time.advance(60_000)

  expect(await hasCurrent('trunk')).toBe(true)
})

/** An engine that takes no gateway of this name, whatever it is served: as one without TLS does. */
async function anEngineRefusing(name: string) {
  const harness = await gatewayEngine(async (answer) =>
    answer.replaceAll(new RegExp(`<gateway name="[^"]*_${name}".*?</gateway>`, 'gs'), ''),
  )
  const rescans = () => harness.orders().filter((order) => order === 'rescan').length
  return { ...harness, rescans }
}

test('a gateway that an engine never takes makes it ask for all gateways a few times, and then once an hour', async () => {
  const { link, write, aligner, time, rescans, forgetOrders } = await anEngineRefusing('tls')
  await write('tls', { transport: 'tls' })
  const applied = aligner()

  const outcome = applied.prepare(command('tls'), domain)(link)
  await time.advance(3_600_000)
  expect(await outcome).toMatchObject({ state: 'refused' })
  expect(rescans()).toBe(9)

  forgetOrders()
  for (const _hour of [1, 2, 3]) {
    expect(await applied.applyAll(link)).toBe(1)
    await time.advance(3_600_000)
  }
  expect(rescans()).toBe(3)
})

test('changing a gateway that an engine never takes restarts its repair; changing another gateway does not', async () => {
  const { link, write, aligner, time, rescans, forgetOrders, hasCurrent } = await anEngineRefusing('tls')
  await write('tls', { transport: 'tls' })
  const applied = aligner()
  void applied.prepare(command('tls'), domain)(link)
  await time.advance(3_600_000)
  forgetOrders()

  await write('other')
  void applied.prepare(command('other'), domain)(link)
  await time.advance(3_600_000)
  expect([await hasCurrent('other'), rescans()]).toEqual([true, 1])

  await write('tls', { transport: 'tls', expires: 90 })
  void applied.prepare(command('tls'), domain)(link)
  await time.advance(3_600_000)
  expect(rescans()).toBe(1 + 9)
})

test('gateways can be applied again after a lost link has ended an earlier attempt', async () => {
  const { link, write, aligner } = await gatewayEngine()
  await write('trunk')
  const applied = aligner()
  let isUp = false
  const losing = {
    api: async (line: string) => {
      if (!isUp) throw new Error('the link is lost')
      return link.api(line)
    },
  }

  await expect(applied.prepare(command('trunk'), domain)(losing)).rejects.toThrow('the link is lost')
  isUp = true

  expect(await applied.prepare(command('trunk'), domain)(losing)).toMatchObject({ state: 'done' })
})

test('an order to apply a gateway is refused if the engine has no SIP profile for gateways', async () => {
  const { write, aligner } = await gatewayEngine()
  await write('trunk')
  const api = async (line: string) => (line === 'sofia status' ? '' : 'Invalid Profile [external]\n')

  expect(await aligner().prepare(command('trunk'), domain)({ api })).toMatchObject({ state: 'refused' })
})

test('after an outage an engine gets changed gateways, loses deleted ones, and keeps those of the operator', async () => {
  const { link, write, aligner, time, ports, engine, orders, hasCurrent, forgetOrders } = await anEngineWith(
    'changed',
    'gone',
    'same',
  )
  const own = engine.gateways.find(`${domain}_same`)
  await write('changed', { realm: 'other.example.net' })
  await write('new')
  const gone = await ports.gateways.read(domain, 'gone')
  if (gone !== undefined) await ports.gateways.remove(gone)
  const withOperators = {
    api: async (line: string) => {
      const answer = await link.api(line)
      return line === 'sofia status' ? `external::${domain}_operators\tgateway\t  x\tREGED\n${answer}` : answer
    },
  }
  forgetOrders()

  const wrong = aligner().applyAll(withOperators)
  await time.advance(10_000)

  expect(await wrong).toBe(0)
  expect(orders().toSorted()).toEqual(['killgw changed', 'killgw gone', 'rescan'])
  expect(await Promise.all(['changed', 'new', 'same'].map(hasCurrent))).toEqual([true, true, true])
  expect(engine.gateways.find(`${domain}_same`)).toBe(own)
  expect(engine.gateways.find(`${domain}_gone`)).toBeUndefined()
})

test('as many changed gateways as a domain can have are applied after an outage by one rescan', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `trunk${index}`)
  const { link, write, aligner, time, orders, hasCurrent } = await anEngineWith(...names)
  for (const name of names) await write(name, { transport: 'tcp' })

  const wrong = aligner().applyAll(link)
  await time.advance(10_000)

  expect(await wrong).toBe(0)
  expect(orders()).toHaveLength(101)
  expect(orders().at(-1)).toBe('rescan')
  expect(await Promise.all(names.map(hasCurrent))).not.toContain(false)
})

test('a gateway that an earlier version of the platform served without a revision is replaced', async () => {
  const { link, aligner, time, engine, orders, hasCurrent } = await anEngineWith('trunk')
  const gateway = engine.gateways.find(`${domain}_trunk`)
  if (gateway !== undefined) Object.assign(gateway, { inbound: new Map() })

  const wrong = aligner().applyAll(link)
  await time.advance(10_000)

  expect(await wrong).toBe(0)
  expect(orders()).toEqual(['killgw trunk', 'rescan'])
  expect(await hasCurrent('trunk')).toBe(true)
})

test.each([
  ['trunk x', domain],
  ['Trunk', domain],
  ['trunk\nreloadxml', domain],
  ['trunk', 'a_b'],
  ['trunk', 'A.example.com'],
  ['trunk', null],
])('the gateway %j of %j becomes no line', async (name, of) => {
  const { aligner } = await gatewayEngine()

  expect(() => aligner().prepare(command(name), of)).toThrow(ValueRefused)
})

test('the gateways of a deleted domain are removed together with its phones, and no others are', async () => {
  const rows = [
    'external::a.example.com_trunk',
    'external::b.a.example.com_trunk',
    'external::operators-own',
    'other::a.example.com_trunk2',
  ].map((name) => `${name.padStart(25)}\tgateway\t  ${'sip:x@192.0.2.9'.padStart(40)}\tREGED\n`)
  const list = `                     Name\t   Type\t  Data\tState\n${rows.join('')}`
  const lines: string[] = []
  const api = async (line: string) => {
    lines.push(line)
    return line === 'sofia status' ? list : '+OK\n'
  }

  await prepareDrop({ kind: 'drop-domain-registrations' }, domain)({ api })

  expect(lines.filter((line) => line.includes('killgw'))).toEqual(['sofia profile external killgw a.example.com_trunk'])
})
