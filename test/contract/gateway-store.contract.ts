import { expect, test } from 'vitest'
import { networksKeptMs } from '../../core/gateways/gateway-store.ts'
import { opened } from '../support/processes/opened.ts'
import { aGateway } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link GatewayStore}. */
export function gatewayStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const gateways = () => stores().gateways
  const names = async (domain: string) => (await gateways().list(domain)).map(({ name }) => name)

  test('a gateway is read back unchanged, in its own domain only', async () => {
    const whole = aGateway({
      domain: 'whole.test',
      fromUser: 'office',
      networks: ['192.0.2.0/24'],
      maxCalls: 7,
      codecs: ['PCMA', 'opus'],
    })

    expect(await gateways().create(whole, 9)).toBe('created')

    expect(await gateways().read('whole.test', 'trunk')).toEqual(whole)
    expect(await gateways().list('whole.test')).toEqual([whole])
    expect(await gateways().read('whole.test.org', 'trunk')).toBeUndefined()
    expect(await gateways().list('whole')).toEqual([])
  })

  test('a gateway without login, password and limit is read back without them', async () => {
    const { username: _username, sealedPassword: _password, ...plain } = aGateway({ domain: 'plain.test' })

    await gateways().create(plain, 9)

    expect(await gateways().read('plain.test', 'trunk')).toEqual(plain)
  })

  test('the enabled gateways with networks are listed as they were at most 5 seconds ago', async () => {
    const networks = ['192.0.2.0/24']
    const listed = async () =>
      (await gateways().listByNetwork()).map(({ domain, name }) => `${domain} ${name}`).filter((one) => /net/.test(one))
    stores().clock.move(networksKeptMs)
    const own = aGateway({ domain: 'net.test', networks })
    await gateways().create(own, 9)
    await gateways().create(aGateway({ domain: 'net.test', name: 'off', networks, enabled: false }), 9)
    await gateways().create(aGateway({ domain: 'net.test', name: 'bare' }), 9)
    expect(await listed()).toEqual(['net.test trunk'])

    await gateways().create(aGateway({ domain: 'second.net.test', networks }), 9)
    await gateways().remove(own)
    stores().clock.move(networksKeptMs)

    expect(await listed()).toEqual(['second.net.test trunk'])
  })

  test('the gateways of all domains are listed together, and nothing else', async () => {
    const own = [aGateway({ domain: 'one.all.test' }), aGateway({ domain: 'two.all.test', name: 'other' })]
    for (const gateway of own) await gateways().create(gateway, 9)

    const all = (await gateways().listAll()).filter(({ domain }) => domain.endsWith('.all.test'))

    expect(all.toSorted((a, b) => (a.domain < b.domain ? -1 : 1))).toEqual(own)
  })

  test('gateways are listed by name', async () => {
    for (const name of ['b', 'a-1', 'a', 'a_1']) await gateways().create(aGateway({ domain: 'order.test', name }), 9)

    expect(await names('order.test')).toEqual(['a', 'a-1', 'a_1', 'b'])
  })

  test('the name of a gateway is unique in its domain, and the number of gateways of a domain is limited', async () => {
    const domain = 'full.test'
    const create = (name: string) => gateways().create(aGateway({ domain, name }), 2)

    expect(await create('one')).toBe('created')
    expect(await create('one')).toBe('exists')
    expect(await create('two')).toBe('created')
    expect(await create('three')).toBe('full')
    expect(await gateways().remove(aGateway({ domain, name: 'one' }))).toBe(true)
    expect(await create('three')).toBe('created')
    expect(await names(domain)).toEqual(['three', 'two'])
  })

  test('one of many simultaneous creations of a gateway with the same name succeeds and counts', async () => {
    const domain = 'race.test'
    const rivals = Array.from({ length: 6 }, (_, index) => aGateway({ domain, username: `r${index}` }))

    const made = await Promise.all(rivals.map((rival) => gateways().create(rival, 2)))

    expect(made.filter((result) => result === 'created')).toHaveLength(1)
    expect(await gateways().create(aGateway({ domain, name: 'second' }), 2)).toBe('created')
  })

  test('a gateway is replaced only if the stored version is the one before', async () => {
    const first = aGateway({ domain: 'replace.test' })
    await gateways().create(first, 9)
    const second = { ...first, enabled: false, version: 2 }

    expect(await gateways().replace({ ...first, version: 3 })).toBe(false)
    expect(await gateways().replace(second)).toBe(true)
    expect(await gateways().replace(second)).toBe(false)
    expect(await gateways().replace(aGateway({ domain: 'replace.test', name: 'none', version: 2 }))).toBe(false)
    expect(await gateways().list('replace.test')).toEqual([second])
  })

  test('a gateway that was changed since it was read is not removed', async () => {
    const first = aGateway({ domain: 'remove.test' })
    await gateways().create(first, 9)
    await gateways().replace({ ...first, version: 2 })

    expect(await gateways().remove(first)).toBe(false)
    expect(await gateways().remove({ ...first, version: 2 })).toBe(true)
    expect(await gateways().remove({ ...first, version: 2 })).toBe(false)
    expect(await gateways().read('remove.test', 'trunk')).toBeUndefined()
  })
}
