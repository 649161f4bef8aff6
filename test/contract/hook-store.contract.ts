import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDelivery, aHook } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link HookStore} and the {@link SubscriptionReader} over the same records. */
export function hookStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('before the first hook the version is zero and no event is wanted', async () => {
    expect(await stores().subscriptions.version()).toBe(0)
    expect(await stores().subscriptions.list()).toEqual([])
  })

  test('a hook is read back unchanged, in its own domain only', async () => {
    const hook = aHook({
      domain: 'whole.test',
      delay: 5,
      filter: { a: { operation: '==', value: null }, b: { operation: '>', value: 1.5 } },
      secrets: [
        { id: 'rotation', sealed: 'new' },
        { sealed: 'old', until: 1 },
      ],
      disabledReason: 'gone',
    })

    expect(await stores().hooks.create([hook], 100)).toBe(true)

    expect(await stores().hooks.read('whole.test', hook.id)).toEqual(hook)
    expect(await stores().hooks.read('whole.test.org', hook.id)).toBeUndefined()
    expect(await stores().hooks.read('whole.test', 'ffffffffffffffffffffffff')).toBeUndefined()
  })

  test.each(['constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'a hook whose fields are named "%s" is stored as it was given',
    async (name) => {
      const hook = aHook({
        domain: 'names.test',
        map: { [name]: 'x' },
        filter: { [name]: { operation: '==', value: '1' } },
        headers: { [name]: 'y' },
        auth: { ...aHook().auth, headers: { [name]: 'z' }, map: { [name]: '$.token' } },
      })

      expect(await stores().hooks.create([hook], 100)).toBe(true)

      expect(await stores().hooks.read('names.test', hook.id)).toEqual(hook)
    },
  )

  test('the list holds the hooks of one domain, oldest first', async () => {
    const hooks = [3, 1, 2].map((createdAt) => aHook({ domain: 'order.test', createdAt }))
    for (const hook of hooks) await stores().hooks.create([hook], 100)
    await stores().hooks.create([aHook({ domain: 'order.test.org' }), aHook({ domain: 'order.test.org' })], 100)

    const listed = await stores().hooks.list('order.test')

    expect(listed.map((hook) => hook.createdAt)).toEqual([1, 2, 3])
  })

  test('the list of hooks and their events go past one page of the store', async () => {
    const rawBody = 'x'.repeat(100_000)
    for (let index = 0; index < 15; index += 1) {
      await stores().hooks.create([aHook({ domain: 'page.test', event: `CUSTOM->e${index}`, rawBody })], 100)
    }

    expect(await stores().hooks.list('page.test')).toHaveLength(15)
    const wanted = await stores().subscriptions.list()
    expect(wanted.filter(({ domain }) => domain === 'page.test')).toHaveLength(15)
  })

  test('creating hooks beyond the limit creates none of them', async () => {
    const three = () => [1, 2, 3].map(() => aHook({ domain: 'limit.test' }))

    expect(await stores().hooks.create(three(), 2)).toBe(false)
    expect(await stores().hooks.create(three(), 5)).toBe(true)
    expect(await stores().hooks.create(three(), 5)).toBe(false)
    expect(await stores().hooks.create(three().slice(1), 5)).toBe(true)
    expect(await stores().hooks.list('limit.test')).toHaveLength(5)
  })

  test('the hooks of a domain are counted, disabled ones too', async () => {
    const [first, second] = [aHook({ domain: 'count.test' }), aHook({ domain: 'count.test', enable: false })]
    expect(await stores().hooks.count('count.test')).toBe(0)
    await stores().hooks.create([first, second], 9)
    await stores().hooks.create([aHook({ domain: 'count.test.org' })], 9)

    expect(await stores().hooks.count('count.test')).toBe(2)
    await stores().hooks.remove(first)
    expect(await stores().elsewhere.hooks.count('count.test')).toBe(1)
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

  test('each wanted pair of domain and event is listed once, including those of disabled hooks', async () => {
    const hooks = [
      aHook({ domain: 'want.test', event: 'CHANNEL_CREATE' }),
      aHook({ domain: 'want.test', event: 'CHANNEL_CREATE' }),
      aHook({ domain: 'want.test', event: 'CUSTOM->svc::user_create' }),
      aHook({ domain: 'want.test', event: 'CHANNEL_HANGUP', enable: false }),
    ]
    await stores().hooks.create(hooks, 100)

    const wanted = (await stores().subscriptions.list()).filter(({ domain }) => domain === 'want.test')

    expect(wanted.map(({ event }) => event).toSorted()).toEqual([
      'CHANNEL_CREATE',
      'CHANNEL_HANGUP',
      'CUSTOM->svc::user_create',
    ])
  })

  test('a hook is replaced only by its next version', async () => {
    const hook = aHook({ domain: 'replace.test', delay: 5, disabledReason: 'gone' })
    await stores().hooks.create([hook], 100)
    const { delay: _delay, disabledReason: _reason, ...rest } = hook
    const next = { ...rest, event: 'DTMF', version: 2 }

    expect(await stores().hooks.replace({ ...hook, version: 3 })).toBe(false)
    expect(await stores().hooks.replace(hook)).toBe(false)
    expect(await stores().hooks.replace(next)).toBe(true)
    expect(await stores().hooks.replace({ ...next, event: 'CHANNEL_ANSWER' })).toBe(false)

    expect(await stores().hooks.read('replace.test', hook.id)).toEqual(next)
    expect(await stores().hooks.list('replace.test')).toEqual([next])
  })

  test('one of many replacements of the same version of a hook succeeds', async () => {
    const hook = aHook({ domain: 'replaces.test' })
    await stores().hooks.create([hook], 100)

    const results = await Promise.all(
      Array.from({ length: 5 }, (_, index) => stores().hooks.replace({ ...hook, description: `${index}`, version: 2 })),
    )

    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await stores().hooks.read('replaces.test', hook.id)).toMatchObject({
      description: `${results.indexOf(true)}`,
    })
  })

  test('replacing a missing hook, or one of another domain, changes nothing', async () => {
    const hook = aHook({ domain: 'mine.test' })
    await stores().hooks.create([hook], 100)

    expect(await stores().hooks.replace(aHook({ domain: 'mine.test', version: 2 }))).toBe(false)
    expect(await stores().hooks.replace({ ...hook, domain: 'mine.test.org', version: 2 })).toBe(false)

    expect(await stores().hooks.list('mine.test.org')).toEqual([])
  })

  test('a hook is removed only in the expected version, and makes room for another', async () => {
    const [first, second] = [aHook({ domain: 'remove.test' }), aHook({ domain: 'remove.test' })]
    await stores().hooks.create([first, second], 2)

    expect(await stores().hooks.remove({ ...first, version: 2 })).toBe(false)
    expect(await stores().hooks.remove({ ...first, domain: 'remove.test.org' })).toBe(false)
    expect(await stores().hooks.remove(first)).toBe(true)
    expect(await stores().hooks.remove(first)).toBe(false)

    expect(await stores().hooks.list('remove.test')).toEqual([second])
    expect(await stores().hooks.create([aHook({ domain: 'remove.test' })], 2)).toBe(true)
    expect(await stores().hooks.create([aHook({ domain: 'remove.test' })], 2)).toBe(false)
  })

  test('a replacement and a removal raise the version, refused ones do not', async () => {
    const hook = aHook({ domain: 'raise.test' })
    await stores().hooks.create([hook], 100)
    const before = await stores().subscriptions.version()

    await stores().hooks.replace({ ...hook, version: 2 })
    await stores().hooks.replace({ ...hook, version: 2 })
    await stores().hooks.remove(hook)
    expect(await stores().subscriptions.version()).toBe(before + 1)
    await stores().hooks.remove({ ...hook, version: 2 })
    await stores().hooks.remove({ ...hook, version: 2 })
    expect(await stores().subscriptions.version()).toBe(before + 2)
  })

  test('deliveries to a removed hook are deleted together with the domain', async () => {
    const [kept, removed] = [aHook({ domain: 'swept.test' }), aHook({ domain: 'swept.test' })]
    const elsewhere = aHook({ domain: 'swept.test.org' })
    await stores().hooks.create([kept, removed], 100)
    await stores().hooks.create([elsewhere], 100)
    const deliveries = [kept, removed, elsewhere].map(({ domain, id }) => aDelivery({ domain, hookId: id }))
    for (const delivery of deliveries) await stores().deliveries.create(delivery)
    await stores().hooks.remove(removed)
    const found = () =>
      Promise.all(deliveries.map(({ domain, hookId, id }) => stores().deliveries.read(domain, hookId, id)))
    expect((await found()).map((delivery) => delivery !== undefined)).toEqual([true, true, true])

    await stores().tenantData.purge('swept.test', Number.MAX_SAFE_INTEGER)

    expect((await found()).map((delivery) => delivery !== undefined)).toEqual([false, false, true])
  })

  test('failures of a hook are counted from the first one, each delivery once, until they are reset', async () => {
    const { hooks } = stores()
    const hook = aHook({ domain: 'failing.test' })
    await hooks.create([hook], 100)
    const count = (delivery: string, at: number) => hooks.countFailure(hook.domain, hook.id, { delivery, at })

    await count('msg_1', 10)
    await count('msg_1', 11)
    const counted = await count('msg_2', 12)

    expect(counted).toEqual({ ...hook, failures: 2, failingSince: 10, lastFailure: 'msg_2' })
    expect(await hooks.read(hook.domain, hook.id)).toEqual(counted)
    await hooks.clearFailures(hook.domain, hook.id)
    expect(await hooks.read(hook.domain, hook.id)).toEqual(hook)
    expect(await count('msg_2', 13)).toMatchObject({ failures: 1, failingSince: 13 })
  })

  test('the moment at which a receiver was late is recorded, the last one', async () => {
    const { hooks } = stores()
    const hook = aHook({ domain: 'late.test' })
    await hooks.create([hook], 100)

    await hooks.noteLate(hook, 10)
    await hooks.noteLate(hook, 20)
    expect(await hooks.read(hook.domain, hook.id)).toEqual({ ...hook, lateAt: 20 })
  })

  test('the notice that is due for a hook is taken by one of many processes, and only for the version that it is due for', async () => {
    const { hooks } = stores()
    const hook = aHook({ domain: 'notice.test', enable: false, noticeDue: true })
    await hooks.create([hook], 100)

    expect(await hooks.endNotice({ ...hook, version: 2 })).toBe(false)
    const taken = await Promise.all(Array.from({ length: 4 }, () => hooks.endNotice(hook)))

    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await hooks.read(hook.domain, hook.id)).not.toHaveProperty('noticeDue')
    expect(await hooks.renewNotice({ ...hook, version: 2 }, 3)).toBe(false)
    expect(await hooks.renewNotice(hook, 3)).toBe(true)
    expect(await hooks.read(hook.domain, hook.id)).toEqual({ ...hook, noticeTries: 3 })
    expect(await hooks.endNotice(hook)).toBe(true)
  })

  test('nothing is recorded for a missing hook', async () => {
    const { hooks } = stores()
    const { domain, id } = aHook({ domain: 'absent.test' })

    expect(await hooks.countFailure(domain, id, { delivery: 'msg_1', at: 1 })).toBeUndefined()
    await hooks.clearFailures(domain, id)
    await hooks.noteLate({ domain, id }, 1)
    expect(await hooks.endNotice(aHook({ domain, id }))).toBe(false)
    expect(await hooks.renewNotice(aHook({ domain, id }), 1)).toBe(false)
    expect(await hooks.list(domain)).toEqual([])
  })
}
