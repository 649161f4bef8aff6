import { expect, test } from 'vitest'
import { opened } from '../support/opened.ts'
import { aHook } from '../support/records.ts'
import type { StoreKind } from '../support/stores.ts'

/** What every {@link HookStore} and the {@link SubscriptionReader} over the same records promise. */
export function hookStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('before any hook was made the version is zero and nothing is wanted', async () => {
    expect(await stores().subscriptions.version()).toBe(0)
    expect(await stores().subscriptions.list()).toEqual([])
  })

  test('a hook is read back as it was, in its own domain only', async () => {
    const hook = aHook({
      domain: 'whole.test',
      delay: 5,
      filter: { a: { operation: '==', value: null }, b: { operation: '>', value: 1.5 } },
      secrets: [{ sealed: 'new' }, { sealed: 'old', until: 1 }],
      disabledReason: 'gone',
    })

    expect(await stores().hooks.create([hook], 100)).toBe(true)

    expect(await stores().hooks.read('whole.test', hook.id)).toEqual(hook)
    expect(await stores().hooks.read('whole.test.org', hook.id)).toBeUndefined()
    expect(await stores().hooks.read('whole.test', 'ffffffffffffffffffffffff')).toBeUndefined()
  })

  test('the list holds the hooks of one domain, oldest first', async () => {
    const hooks = [3, 1, 2].map((createdAt) => aHook({ domain: 'order.test', createdAt }))
    for (const hook of hooks) await stores().hooks.create([hook], 100)
    await stores().hooks.create([aHook({ domain: 'order.test.org' }), aHook({ domain: 'order.test.org' })], 100)

    const listed = await stores().hooks.list('order.test')

    expect(listed.map((hook) => hook.createdAt)).toEqual([1, 2, 3])
  })

  test('the list and what is wanted go past one page of the store', async () => {
    const rawBody = 'x'.repeat(100_000)
    for (let index = 0; index < 15; index += 1) {
      await stores().hooks.create([aHook({ domain: 'page.test', event: `CUSTOM->e${index}`, rawBody })], 100)
    }

    expect(await stores().hooks.list('page.test')).toHaveLength(15)
    const wanted = await stores().subscriptions.list()
    expect(wanted.filter(({ domain }) => domain === 'page.test')).toHaveLength(15)
  })

  test('hooks above the limit are refused, all or none', async () => {
    const three = () => [1, 2, 3].map(() => aHook({ domain: 'limit.test' }))

    expect(await stores().hooks.create(three(), 2)).toBe(false)
    expect(await stores().hooks.create(three(), 5)).toBe(true)
    expect(await stores().hooks.create(three(), 5)).toBe(false)
    expect(await stores().hooks.create(three().slice(1), 5)).toBe(true)
    expect(await stores().hooks.list('limit.test')).toHaveLength(5)
  })

  test('the limit holds when many are created at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => stores().hooks.create([aHook({ domain: 'race.test' })], 3)),
    )

    expect(results.filter(Boolean)).toHaveLength(3)
    expect(await stores().hooks.list('race.test')).toHaveLength(3)
  })

  test('a creation raises the version, a refused one does not', async () => {
    const before = await stores().subscriptions.version()
    await stores().hooks.create([aHook({ domain: 'version.test' }), aHook({ domain: 'version.test' })], 2)
    const after = await stores().subscriptions.version()
    await stores().hooks.create([aHook({ domain: 'version.test' })], 2)

    expect(after).toBe(before + 1)
    expect(await stores().subscriptions.version()).toBe(after)
  })

  test('what is wanted is each pair of domain and event once, of enabled hooks only', async () => {
    const hooks = [
      aHook({ domain: 'want.test', event: 'CHANNEL_CREATE' }),
      aHook({ domain: 'want.test', event: 'CHANNEL_CREATE' }),
      aHook({ domain: 'want.test', event: 'CUSTOM->svc::user_create' }),
      aHook({ domain: 'want.test', event: 'CHANNEL_HANGUP', enable: false }),
    ]
    await stores().hooks.create(hooks, 100)

    const wanted = (await stores().subscriptions.list()).filter(({ domain }) => domain === 'want.test')

    expect(wanted.map(({ event }) => event).toSorted()).toEqual(['CHANNEL_CREATE', 'CUSTOM->svc::user_create'])
  })
}
