import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type CommandOutcome, type CommandRecord, claimsAtATime } from '../../core/commands/commands.ts'
import { opened } from '../support/processes/opened.ts'
import { aCommandRecord } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

/** The contract of every {@link CommandStore}. */
export function commandStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const created = async () => {
    const record = aCommandRecord()
    await stores().commands.create(record)
    return record
  }

  const claimed = () => ({ claimedBy: 'connector-1', claimedAt: stores().clock.now() })

  test('a new command is read back unchanged', async () => {
    const record = aCommandRecord({
      requestId: 'request-1',
      scope: { domain: null, presenceId: '1000@a.example.com' },
      command: {
        kind: 'originate',
        uuid: '11111111-2222-4333-8444-555555555555',
        calledId: '9196',
        callerId: '1000',
        timeoutSeconds: 30,
        autoAnswer: { name: 'sip_auto_answer', value: 'true' },
        variables: { a: 'ü' },
      },
    })

    expect(await stores().commands.create(record)).toBe(true)
    expect(await stores().commands.read(record.id)).toEqual(record)
  })

  test('an id is used once: the second record is refused and the first stays', async () => {
    const record = await created()

    expect(await stores().commands.create({ ...record, deadlineAt: 0 })).toBe(false)
    expect(await stores().commands.read(record.id)).toEqual(record)
  })

  test('one of many connectors that claim a command at once gets it', async () => {
    const record = await created()
    const connectors = Array.from({ length: 10 }, (_, index) => `connector-${index}`)

    const claims = await Promise.all(connectors.map((name) => stores().commands.claim(record.id, name)))

    expect(claims.filter(Boolean)).toHaveLength(1)
    expect((await stores().commands.read(record.id))?.claimedBy).toBe(connectors[claims.indexOf(true)])
  })

  test('a connector that claims again is refused: it may have sent the command already', async () => {
    const record = await created()

    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(true)
    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(false)
  })

  test('a command that was never recorded cannot be claimed or completed into existence', async () => {
    const { id } = aCommandRecord()

    expect(await stores().commands.claim(id, 'connector-1')).toBe(false)
    await stores().commands.complete(id, { state: 'absent' })
    expect(await stores().commands.read(id)).toBeUndefined()
  })

  test('a withdrawn command has expired, and can neither be claimed nor withdrawn again', async () => {
    const record = await created()

    expect(await stores().commands.withdraw(record.id)).toBe(true)

    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(false)
    expect(await stores().commands.withdraw(record.id)).toBe(false)
    const outcome = { state: 'unsent', reason: 'expired' }
    expect(await stores().commands.read(record.id)).toEqual({ ...record, outcome })
  })

  test('a command that was taken, has ended or is not there cannot be withdrawn', async () => {
    const [taken, ended] = [await created(), await created()]
    await stores().commands.claim(taken.id, 'connector-1')
    await stores().commands.complete(ended.id, { state: 'absent' })

    for (const { id } of [taken, ended, aCommandRecord()]) {
      expect(await stores().commands.withdraw(id)).toBe(false)
    }
    expect(await stores().commands.read(taken.id)).toEqual({ ...taken, ...claimed() })
  })

  test('one of a simultaneous claim and withdrawal succeeds', async () => {
    const records = await Promise.all(Array.from({ length: 10 }, () => created()))

    for (const { id } of records) {
      const both = await Promise.all([stores().commands.claim(id, 'connector-1'), stores().commands.withdraw(id)])
      expect(both.filter(Boolean)).toHaveLength(1)
    }
  })

  test('a command that has ended cannot be claimed', async () => {
    const record = await created()
    await stores().commands.complete(record.id, { state: 'unsent', reason: 'expired' })

    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(false)
  })

  test.each<CommandOutcome>([
    { state: 'done', text: '+OK ü', uuid: 'u' },
    { state: 'done', text: '' },
    { state: 'refused', text: '-ERR NO_ROUTE_DESTINATION\n' },
    { state: 'absent' },
    { state: 'unsent', reason: 'disconnected' },
    { state: 'unknown', reason: 'unclear' },
    { state: 'unknown', reason: 'connector_lost' },
  ])('the outcome $state is stored next to the claim', async (outcome) => {
    const record = await created()
    await stores().commands.claim(record.id, 'connector-1')

    await stores().commands.complete(record.id, outcome)

    expect(await stores().commands.read(record.id)).toEqual({ ...record, ...claimed(), outcome })
  })

  test('the first outcome of a command is kept when a second one is reported', async () => {
    const record = await created()
    await stores().commands.complete(record.id, { state: 'done', text: 'first' })
    await stores().commands.complete(record.id, { state: 'unknown', reason: 'timeout' })

    expect((await stores().commands.read(record.id))?.outcome).toEqual({ state: 'done', text: 'first' })
  })

  test('an outcome of several megabytes is read back whole, and a second one does not replace it', async () => {
    const record = await created()
    const outcome = { state: 'done', text: `ü${randomBytes(2_000_000).toString('hex')}` } as const
    const second = { state: 'done', text: randomBytes(400_000).toString('hex') } as const

    await stores().commands.complete(record.id, outcome)
    await stores().commands.complete(record.id, second)

    const read = (await stores().commands.read(record.id))?.outcome
    // Not compared by the matcher: printing a difference of megabytes takes minutes.
    expect(read?.state === 'done' && read.text === outcome.text).toBe(true)
  })

  test('one of two simultaneous large outcomes is read back whole', async () => {
    const record = await created()
    const texts = [1, 2].map(() => randomBytes(500_000).toString('hex'))

    await Promise.all(texts.map((text) => stores().commands.complete(record.id, { state: 'done', text })))

    const read = (await stores().commands.read(record.id))?.outcome
    expect(read?.state === 'done' && texts.includes(read.text)).toBe(true)
  })

  test('a command is deleted a day after its deadline, and its id can be used again', async () => {
    const record = aCommandRecord({ deadlineAt: stores().clock.now() })
    await stores().commands.create(record)

    stores().clock.move(DAY_MS)

    expect(await stores().commands.read(record.id)).toBeUndefined()
    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(false)
    expect(await stores().commands.create({ ...record, deadlineAt: stores().clock.now() })).toBe(true)
  })

  test('an unclaimed command is withdrawn once, and can no longer be claimed', async () => {
    const record = await created()

    expect(await stores().commands.withdraw(record.id)).toBe(true)
    expect(await stores().commands.withdraw(record.id)).toBe(false)
    expect(await stores().commands.claim(record.id, 'connector-1')).toBe(false)
    await stores().commands.complete(record.id, { state: 'absent' })
    expect((await stores().commands.read(record.id))?.outcome).toEqual({ state: 'unsent', reason: 'expired' })
  })

  test('a command that was claimed, has ended or was never made is not withdrawn', async () => {
    const [claimed, ended, { id }] = [await created(), await created(), aCommandRecord()]
    await stores().commands.claim(claimed.id, 'connector-1')
    await stores().commands.complete(ended.id, { state: 'absent' })

    for (const each of [claimed.id, ended.id, id]) expect(await stores().commands.withdraw(each)).toBe(false)
    expect((await stores().commands.read(claimed.id))?.outcome).toBeUndefined()
  })

  test('a claim and a withdrawal of one command that are both repeated at the same time never both succeed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const record = await created()

      const both = await Promise.all([
        stores().commands.claim(record.id, 'connector-1'),
        stores().commands.withdraw(record.id),
      ])

      expect(both.filter(Boolean)).toHaveLength(1)
    }
  })

  const lost: CommandOutcome = { state: 'unknown', reason: 'connector_lost' }
  /** Long enough after a claim for it to count as old, and for every index to know of it. */
  const later = () => {
    stores().clock.move(30_000)
    return stores().clock.now() - 20_000
  }
  const claimedBy = async (connectorId: string) => {
    const record = aCommandRecord({ deadlineAt: stores().clock.now() + 20_000 })
    await stores().commands.create(record)
    await stores().commands.claim(record.id, connectorId)
    return record
  }
  const outcomeOf = async ({ id }: CommandRecord) => (await stores().commands.read(id))?.outcome

  test('commands that a lost connector claimed without an outcome become unknown, and no others', async () => {
    const [dead, alive] = [randomUUID(), randomUUID()]
    const [open, ended, other, free] = [
      await claimedBy(dead),
      await claimedBy(dead),
      await claimedBy(alive),
      await created(),
    ]
    await stores().commands.complete(ended.id, { state: 'done', text: '+OK' })

    expect(await stores().commands.endClaimsOf(dead, later())).toEqual({ ended: 1, more: false })

    expect(await outcomeOf(open)).toEqual(lost)
    expect(await outcomeOf(ended)).toEqual({ state: 'done', text: '+OK' })
    expect([await outcomeOf(other), await outcomeOf(free)]).toEqual([undefined, undefined])
    expect(await stores().commands.endClaimsOf(dead, later())).toEqual({ ended: 0, more: false })
  })

  test('the late outcome of a slow connector changes nothing: the first stays', async () => {
    const slow = randomUUID()
    const record = await claimedBy(slow)
    await stores().commands.endClaimsOf(slow, later())

    await stores().commands.complete(record.id, { state: 'done', text: '+OK' })

    expect(await outcomeOf(record)).toEqual(lost)
  })

  test('a very recent claim of a lost connector is skipped, since its caller still waits', async () => {
    const connector = randomUUID()
    const old = await claimedBy(connector)
    const claimedBefore = later()
    const fresh = await claimedBy(connector)

    expect(await stores().commands.endClaimsOf(connector, claimedBefore)).toEqual({ ended: 1, more: false })

    expect([await outcomeOf(old), await outcomeOf(fresh)]).toEqual([lost, undefined])
  })

  test('many claims are ended page by page, the oldest first', async () => {
    const connector = randomUUID()
    const first = await claimedBy(connector)
    stores().clock.move(1)
    await Promise.all(Array.from({ length: claimsAtATime }, () => claimedBy(connector)))
    const claimedBefore = later()

    expect(await stores().commands.endClaimsOf(connector, claimedBefore)).toEqual({ ended: claimsAtATime, more: true })
    expect(await outcomeOf(first)).toEqual(lost)
    expect(await stores().commands.endClaimsOf(connector, claimedBefore)).toEqual({ ended: 1, more: false })
  })

  test('a command that is completed late and declared lost at the same time keeps exactly one of the two outcomes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const slow = randomUUID()
      const record = await claimedBy(slow)
      const claimedBefore = later()

      const [{ ended }] = await Promise.all([
        stores().commands.endClaimsOf(slow, claimedBefore),
        stores().commands.complete(record.id, { state: 'absent' }),
      ])

      expect(await outcomeOf(record)).toEqual(ended === 1 ? lost : { state: 'absent' })
    }
  })

  test('the chosen uuid of a call leads to the channel that was recorded last, and no other uuid does', async () => {
    const [chosen, first, last] = [randomUUID(), randomUUID(), randomUUID()]

    await stores().commands.keepAlias(chosen, first)
    await stores().commands.keepAlias(chosen, last)

    expect(await stores().commands.readAlias(chosen)).toBe(last)
    expect(await stores().commands.readAlias(last)).toBeUndefined()
  })

  test('recording the channel for a chosen uuid does not change the command with the same id', async () => {
    const record = aCommandRecord({ deadlineAt: stores().clock.now() })
    await stores().commands.create(record)

    await stores().commands.keepAlias(record.id, randomUUID())

    expect(await stores().commands.read(record.id)).toEqual(record)
  })

  test('a chosen uuid no longer leads to its channel after a week', async () => {
    const chosen = randomUUID()
    await stores().commands.keepAlias(chosen, randomUUID())

    stores().clock.move(7 * DAY_MS + 1_000)

    expect(await stores().commands.readAlias(chosen)).toBeUndefined()
  })

  const owed = (engine: string, login: string, domain = 'a.example.com', command = 'c1') => ({
    engine,
    domain,
    login,
    deletedAt: 1,
    command,
  })
  const loginsOf = async (engine: string) =>
    (await stores().commands.listUnregistrations(engine)).map(({ login }) => login).toSorted()

  test('an owed drop of registrations is listed once for its engine until it is done', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    await stores().commands.addUnregistrations([owed(one, '1000'), owed(other, '1000'), owed(one, '1001')])
    await stores().commands.addUnregistrations([owed(one, '1000'), owed(one, '1000', 'b.example.com')])
    expect(await stores().commands.listUnregistrations(other)).toEqual([owed(other, '1000')])
    expect(await loginsOf(one)).toEqual(['1000', '1000', '1001'])

    await stores().commands.endUnregistration(owed(one, '1000'))
    await stores().commands.endUnregistration(owed(one, '1000'))

    expect(await loginsOf(one)).toEqual(['1000', '1001'])
    expect(await loginsOf(other)).toEqual(['1000'])
  })

  test('an owed drop stays owed if a second command demanded it before the first one was done', async () => {
    const engine = randomUUID()
    await stores().commands.addUnregistrations([owed(engine, '1000')])
    await stores().commands.addUnregistrations([owed(engine, '1000', 'a.example.com', 'c2')])

    await stores().commands.endUnregistration(owed(engine, '1000'))
    expect(await loginsOf(engine)).toEqual(['1000'])

    await stores().commands.endUnregistration(owed(engine, '1000', 'a.example.com', 'c2'))
    expect(await loginsOf(engine)).toEqual([])
  })

  test('an engine that was away for long can owe any number of drops', async () => {
    const engine = randomUUID()
    const logins = Array.from({ length: 60 }, (_, index) => `${1_000 + index}`)

    await stores().commands.addUnregistrations(logins.map((login) => owed(engine, login)))

    expect(await loginsOf(engine)).toEqual(logins)
  })

  test('a drop of registrations is owed for a week', async () => {
    const engine = randomUUID()
    await stores().commands.addUnregistrations([owed(engine, '1000')])
    stores().clock.move(6 * DAY_MS)
    expect(await loginsOf(engine)).toEqual(['1000'])

    stores().clock.move(DAY_MS + 1_000)

    expect(await loginsOf(engine)).toEqual([])
  })
}
