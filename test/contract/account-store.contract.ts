import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDomain, anAccount } from '../support/records/records.ts'
import type { StoreKind, Stores } from '../support/stores/stores.ts'

const LIMIT = 1000

/** The contract of every {@link AccountStore}. */
export function accountStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a created account is found by login in any case and by each number', async () => {
    const domain = await newDomain(stores())
    const account = anAccount({ domain, login: 'Ann.Smith', numbers: ['100', '+380', '*5#'] })

    expect(await stores().accounts.create(account, LIMIT)).toBe('created')

    expect(await stores().accounts.read(domain, 'ann.SMITH')).toEqual(account)
    expect(await stores().accounts.readByNumber(domain, '+380')).toEqual(account)
    expect(await stores().accounts.readByNumber(domain, '*5#')).toEqual(account)
    expect(await stores().accounts.readByNumber(domain, 'Ann.Smith')).toBeUndefined()
  })

  test('creating an account raises the count of its domain, and removing it lowers the count', async () => {
    const domain = await newDomain(stores())
    const account = anAccount({ domain })

    await stores().accounts.create(account, LIMIT)
    const counted = await stores().domains.read(domain)
    const removed = await stores().accounts.remove(account)

    expect(counted?.accountCount).toBe(1)
    expect(removed).toBe(true)
    expect((await stores().domains.read(domain))?.accountCount).toBe(0)
  })

  test('an account of a domain that is not there is refused and leaves no reservation', async () => {
    const account = anAccount({ domain: 'not-there.example.com' })

    expect(await stores().accounts.create(account, LIMIT)).toBe('domain_missing')
    expect(await stores().accounts.readByNumber('not-there.example.com', '1000')).toBeUndefined()
    expect(await stores().domains.read('not-there.example.com')).toBeUndefined()
  })

  test('a login is taken whatever the case of its letters, and nothing of the second account is kept', async () => {
    const domain = await newDomain(stores())
    await stores().accounts.create(anAccount({ domain, login: 'ann', numbers: ['1'] }), LIMIT)

    const second = await stores().accounts.create(anAccount({ domain, login: 'ANN', numbers: ['2'] }), LIMIT)

    expect(second).toBe('login_taken')
    expect(await stores().accounts.readByNumber(domain, '2')).toBeUndefined()
    expect((await stores().domains.read(domain))?.accountCount).toBe(1)
  })

  test('a number belongs to one account, and nothing of the second account is kept', async () => {
    const domain = await newDomain(stores())
    await stores().accounts.create(anAccount({ domain, login: 'ann', numbers: ['1', '2'] }), LIMIT)

    const second = await stores().accounts.create(anAccount({ domain, login: 'bob', numbers: ['3', '2'] }), LIMIT)

    expect(second).toBe('number_taken')
    expect(await stores().accounts.read(domain, 'bob')).toBeUndefined()
    expect(await stores().accounts.readByNumber(domain, '3')).toBeUndefined()
  })

  test('a number that an account names twice is reserved once', async () => {
    const domain = await newDomain(stores())
    const account = anAccount({ domain, numbers: ['7', '7'] })

    expect(await stores().accounts.create(account, LIMIT)).toBe('created')
    expect(await stores().accounts.readByNumber(domain, '7')).toEqual(account)
  })

  test('one of many simultaneous creations of an account with the same login succeeds', async () => {
    const domain = await newDomain(stores())
    const rivals = Array.from({ length: 8 }, (_, index) => anAccount({ domain, login: 'ann', numbers: [`${index}`] }))

    const results = await Promise.all(rivals.map((rival) => stores().accounts.create(rival, LIMIT)))

    expect(results.filter((result) => result === 'created')).toHaveLength(1)
    expect(results.filter((result) => result === 'login_taken')).toHaveLength(7)
    expect((await stores().domains.read(domain))?.accountCount).toBe(1)
  })

  test('the limit holds when many create at once, and the count is exact', async () => {
    const domain = await newDomain(stores())
    const rivals = Array.from({ length: 12 }, (_, index) => anAccount({ domain, login: `${index}` }))

    const results = await Promise.all(rivals.map((rival) => stores().accounts.create(rival, 5)))

    expect(results.filter((result) => result === 'created')).toHaveLength(5)
    expect(results.filter((result) => result === 'domain_full')).toHaveLength(7)
    expect(await stores().accounts.list(domain)).toHaveLength(5)
    expect((await stores().domains.read(domain))?.accountCount).toBe(5)
  })

  test('an update moves the number reservations and answers the new account', async () => {
    const domain = await newDomain(stores())
    const previous = anAccount({ domain, login: 'ann', numbers: ['1', '2'] })
    await stores().accounts.create(previous, LIMIT)
    const account = { ...previous, numbers: ['2', '3'], role: 'admin', version: 2 }

    expect(await stores().accounts.update(account, previous)).toBe('updated')

    expect(await stores().accounts.read(domain, 'ann')).toEqual(account)
    expect(await stores().accounts.readByNumber(domain, '1')).toBeUndefined()
    expect(await stores().accounts.readByNumber(domain, '2')).toEqual(account)
    expect(await stores().accounts.readByNumber(domain, '3')).toEqual(account)
  })

  test('an update to a number of another account is refused and changes nothing', async () => {
    const domain = await newDomain(stores())
    const previous = anAccount({ domain, login: 'ann', numbers: ['1'] })
    await stores().accounts.create(previous, LIMIT)
    await stores().accounts.create(anAccount({ domain, login: 'bob', numbers: ['2'] }), LIMIT)

    const result = await stores().accounts.update({ ...previous, numbers: ['3', '2'], version: 2 }, previous)

    expect(result).toBe('number_taken')
    expect(await stores().accounts.read(domain, 'ann')).toEqual(previous)
    expect(await stores().accounts.readByNumber(domain, '3')).toBeUndefined()
  })

  test('the second of two updates of the same version is refused', async () => {
    const domain = await newDomain(stores())
    const previous = anAccount({ domain })
    await stores().accounts.create(previous, LIMIT)

    const results = await Promise.all(
      ['admin', 'user'].map((role) => stores().accounts.update({ ...previous, role, version: 2 }, previous)),
    )

    expect(results.toSorted()).toEqual(['updated', 'version_changed'])
  })

  test('an update of a removed account is refused and does not bring it back', async () => {
    const domain = await newDomain(stores())
    const previous = anAccount({ domain })

    expect(await stores().accounts.update({ ...previous, version: 2 }, previous)).toBe('version_changed')
    expect(await stores().accounts.read(domain, '1000')).toBeUndefined()
  })

  test('a removed account frees its login and numbers, also those that came by a later update', async () => {
    const domain = await newDomain(stores())
    const previous = anAccount({ domain, login: 'ann', numbers: ['1', '2'] })
    await stores().accounts.create(previous, LIMIT)
    await stores().accounts.update({ ...previous, numbers: ['2', '3'], version: 2 }, previous)

    expect(await stores().accounts.remove(previous)).toBe(true)

    const next = anAccount({ domain, login: 'Ann', numbers: ['1', '2', '3'] })
    expect(await stores().accounts.create(next, LIMIT)).toBe('created')
  })

  test('one of many simultaneous removals of an account succeeds, and it is counted off once', async () => {
    const domain = await newDomain(stores())
    const account = anAccount({ domain })
    await stores().accounts.create(account, LIMIT)
    await stores().accounts.create(anAccount({ domain, login: 'other' }), LIMIT)

    const results = await Promise.all(Array.from({ length: 6 }, () => stores().accounts.remove(account)))

    expect(results.filter(Boolean)).toHaveLength(1)
    expect((await stores().domains.read(domain))?.accountCount).toBe(1)
  })

  test('domains whose names are beginnings or ends of each other share nothing', async () => {
    const names = ['x.test', 'x.test.org', 'a.x.test', 'x']
    for (const name of names) await stores().domains.create(aDomain({ name }))
    for (const name of names) {
      expect(await stores().accounts.create(anAccount({ domain: name, login: '1000', role: name }), LIMIT)).toBe(
        'created',
      )
    }

    for (const name of names) {
      expect((await stores().accounts.list(name)).map((account) => account.role)).toEqual([name])
      expect((await stores().accounts.read(name, '1000'))?.role).toBe(name)
      expect((await stores().accounts.readByNumber(name, '1000'))?.role).toBe(name)
    }
  })

  test('the list holds every account in the order of lower-cased logins, past one page of the store', async () => {
    const domain = await newDomain(stores())
    const logins = Array.from(
      { length: 24 },
      (_, index) => `${index % 2 ? 'U' : 'u'}-${String(index).padStart(2, '0')}`,
    )
    const variables = { filler: 'x'.repeat(60_000) }
    for (const login of logins.toReversed()) {
      await stores().accounts.create(anAccount({ domain, login, numbers: [`1${login.slice(2)}`], variables }), LIMIT)
    }

    expect((await stores().accounts.list(domain)).map((account) => account.login)).toEqual(logins)
  })

  test('a one-time code is used once, even if many requests present it at the same time', async () => {
    const account = await withFactor(stores())

    const used = await Promise.all(Array.from({ length: 6 }, () => stores().accounts.useCode(account, 6)))

    expect(used.filter(Boolean)).toHaveLength(1)
    expect((await stores().accounts.read(account.domain, 'ann'))?.secondFactor?.usedStep).toBe(6)
  })

  test('a one-time code of an earlier time step, another secret or replaced credentials is refused', async () => {
    const account = await withFactor(stores())
    const secondFactor = { sealed: 'other', isOn: true, usedStep: 5 }

    expect(await stores().accounts.useCode(account, 5)).toBe(false)
    expect(await stores().accounts.useCode(account, 4)).toBe(false)
    expect(await stores().accounts.useCode({ ...account, secondFactor }, 6)).toBe(false)
    expect(await stores().accounts.useCode({ ...account, credentialsId: 'other' }, 6)).toBe(false)
    expect(await stores().accounts.read(account.domain, 'ann')).toEqual(account)
  })

  test('an update of an account does not make a used one-time code valid again', async () => {
    const account = await withFactor(stores())
    await stores().accounts.useCode(account, 6)

    expect(await stores().accounts.update({ ...account, version: 2 }, account)).toBe('version_changed')
  })

  test('no one-time code is used for a missing account or one without a second factor', async () => {
    const domain = await newDomain(stores())
    const account = anAccount({ domain })
    await stores().accounts.create(account, LIMIT)

    expect(await stores().accounts.useCode(account, 1)).toBe(false)
    expect(await stores().accounts.useCode({ ...account, login: 'nobody' }, 1)).toBe(false)
    expect(await stores().accounts.list(domain)).toEqual([account])
  })
}

/** An account with a second factor whose latest used step is 5. */
async function withFactor(stores: Stores) {
  const domain = await newDomain(stores)
  const account = anAccount({ domain, login: 'Ann', secondFactor: { sealed: 'AA==', isOn: true, usedStep: 5 } })
  await stores.accounts.create(account, LIMIT)
  return account
}

let domains = 0

async function newDomain(stores: Stores): Promise<string> {
  const name = `d${(domains += 1)}.example.com`
  await stores.domains.create(aDomain({ name }))
  return name
}
