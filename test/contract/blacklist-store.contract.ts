import { expect, test } from 'vitest'
import type { BlacklistEntry } from '../../core/blacklists/blacklist-entry.ts'
import { opened } from '../support/processes/opened.ts'
import { anEntry } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const limits = { entries: 100_000, lists: 200 }
const wholeList = { skip: 0, limit: 1_000, direction: 1 } as const
const never = Number.MAX_SAFE_INTEGER

/** The contract of every {@link BlacklistStore}. */
export function blacklistStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const lists = () => stores().blacklists
  const add = (given: Partial<BlacklistEntry>, most: Partial<typeof limits> = {}) =>
    lists().add(anEntry(given), { ...limits, ...most })
  const numbers = async (domain: string, list = 'spam') =>
    (await lists().entries(domain, list)).map(({ number }) => number)
  const fill = async (domain: string, many: readonly string[], given: Partial<BlacklistEntry> = {}) => {
    for (const number of many) expect(await add({ domain, number, ...given })).toBe('added')
  }

  test('a missing blacklist entry is not found, and removing it changes nothing', async () => {
    expect(await lists().names('none.test')).toEqual([])
    expect(await lists().entries('none.test', 'spam')).toEqual([])
    expect(await lists().page('none.test', 'spam', wholeList)).toEqual({ entries: [], more: false })
    expect(await lists().read('none.test', 'spam', '1')).toBeUndefined()
    expect(await lists().remove('none.test', 'spam', '1')).toBe(false)
    expect(await lists().removeList('none.test', 'spam')).toBe(0)
    expect(await lists().sweep('none.test', never)).toBe(true)
  })

  test('a blacklist entry is read back unchanged, in its own domain and list only', async () => {
    const entry = anEntry({ domain: 'whole.test', note: 'rude', expires: stores().clock.now() + 1_000 })

    expect(await lists().add(entry, limits)).toBe('added')

    expect(await lists().read('whole.test', 'spam', entry.number)).toEqual(entry)
    expect(await lists().read('whole.test.org', 'spam', entry.number)).toBeUndefined()
    expect(await lists().read('whole.test', 'spa', entry.number)).toBeUndefined()
    expect(await lists().read('whole.test', 'spam', '38044123456')).toBeUndefined()
  })

  test('an existing blacklist entry stays unchanged when it is added again', async () => {
    const first = anEntry({ domain: 'twice.test', note: 'first' })
    await lists().add(first, limits)

    expect(await add({ domain: 'twice.test', note: 'second' })).toBe('exists')

    expect(await lists().entries('twice.test', 'spam')).toEqual([first])
  })

  test('a repetition of the same addition counts as done and changes nothing', async () => {
    const entry = anEntry({ domain: 'repeated.test' })
    await lists().add(entry, limits)

    expect(await lists().add(entry, limits)).toBe('added')

    expect(await lists().removeList('repeated.test', 'spam')).toBe(1)
  })

  test('the first number creates a blacklist and the removal of the last deletes it', async () => {
    await add({ domain: 'life.test', number: '1' })
    await add({ domain: 'life.test', number: '2' })

    expect(await lists().remove('life.test', 'spam', '1')).toBe(true)
    expect(await lists().remove('life.test', 'spam', '1')).toBe(false)
    expect(await lists().names('life.test')).toEqual(['spam'])
    expect(await lists().remove('life.test', 'spam', '2')).toBe(true)
    expect(await lists().names('life.test')).toEqual([])
    expect(await add({ domain: 'life.test', number: '1' })).toBe('added')
  })

  test('names of lists and their numbers come in the order of their characters', async () => {
    for (const list of ['b', 'a|b', 'a%', 'a', 'Z', 'ä', 'count']) await add({ domain: 'order.test', list })
    await fill('order.test', ['9', '10', '+1', '*1', '#1', 'a', 'A'], { list: 'order' })

    expect(await lists().names('order.test')).toEqual(['Z', 'a', 'a%', 'a|b', 'b', 'count', 'order', 'ä'])
    expect(await numbers('order.test', 'order')).toEqual(['#1', '*1', '+1', '10', '9', 'A', 'a'])
  })

  test('blacklists with similar names, and domains with a common beginning, stay separate', async () => {
    const places = ['a.test', 'a.test.org', 'a', 'lists', 'entries'].flatMap((domain) =>
      ['x', 'x|y', 'x%007cy', 'x%', '%-', 'X'].map((list) => ({ domain, list })),
    )
    for (const { domain, list } of places) await add({ domain, list, number: '1' })

    expect(await lists().removeList('a.test', 'x')).toBe(1)
    expect(await lists().remove('a', 'x|y', '1')).toBe(true)
    await lists().sweep('a.test', never)

    expect(await lists().names('a.test')).toEqual(['%-', 'X', 'x%', 'x%007cy', 'x|y'])
    expect(await lists().names('a')).toEqual(['%-', 'X', 'x', 'x%', 'x%007cy'])
    for (const domain of ['a.test.org', 'lists', 'entries']) {
      for (const { list } of places) expect(await numbers(domain, list)).toEqual(['1'])
    }
  })

  test('pages go on exactly where they ended, both ways', async () => {
    await fill('page.test', ['1', '2', '3', '4', '5'])
    const page = async (given: Partial<Parameters<ReturnType<typeof lists>['page']>[2]>) => {
      const { entries, more } = await lists().page('page.test', 'spam', { ...wholeList, limit: 2, ...given })
      return [entries.map(({ number }) => number).join(''), more]
    }

    expect(await page({})).toEqual(['12', true])
    expect(await page({ skip: 2 })).toEqual(['34', true])
    expect(await page({ skip: 4 })).toEqual(['5', false])
    expect(await page({ skip: 9 })).toEqual(['', false])
    expect(await page({ limit: 5 })).toEqual(['12345', false])
    expect(await page({ after: '2' })).toEqual(['34', true])
    expect(await page({ after: '25' })).toEqual(['34', true])
    expect(await page({ after: '5' })).toEqual(['', false])
    expect(await page({ direction: -1 })).toEqual(['54', true])
    expect(await page({ direction: -1, after: '3' })).toEqual(['21', false])
  })

  test('a list of more than one page of the store is read and removed whole', async () => {
    const note = '語'.repeat(500)
    const many = Array.from({ length: 800 }, (_, index) => String(10_000 + index))
    await fill('large.test', many, { note })

    expect(await numbers('large.test')).toEqual(many)
    const { entries, more } = await lists().page('large.test', 'spam', { ...wholeList, skip: 700, limit: 99 })
    expect([entries.length, entries[0]?.number, more]).toEqual([99, '10700', true])
    expect(await lists().removeList('large.test', 'spam')).toBe(800)
    expect(await numbers('large.test')).toEqual([])
    expect(await lists().names('large.test')).toEqual([])
  })

  test('a recreated blacklist has no entries of the earlier one, swept or not', async () => {
    await fill('anew.test', ['1', '2', '3'])
    await lists().removeList('anew.test', 'spam')

    expect(await add({ domain: 'anew.test', number: '2' })).toBe('added')
    expect(await numbers('anew.test')).toEqual(['2'])
    expect(await lists().sweep('anew.test', never)).toBe(true)
    expect(await numbers('anew.test')).toEqual(['2'])
    expect(await lists().removeList('anew.test', 'spam')).toBe(1)
  })

  test('a blacklist entry no longer exists from the moment of its expiry', async () => {
    const domain = 'end.test'
    const expires = stores().clock.now() + 1_000
    await add({ domain, number: '1', expires })
    await add({ domain, number: '2' })
    await add({ domain, number: '1', list: 'brief', expires })
    stores().clock.move(999)
    expect(await numbers(domain)).toEqual(['1', '2'])

    stores().clock.move(1)

    expect(await numbers(domain)).toEqual(['2'])
    expect(await lists().read(domain, 'spam', '1')).toBeUndefined()
    expect((await lists().page(domain, 'spam', wholeList)).entries).toHaveLength(1)
    expect(await lists().names(domain)).toEqual(['spam'])
    expect(await lists().remove(domain, 'brief', '1')).toBe(false)
  })

  test('a blacklist entry that has expired can be added again, with a new expiry or none', async () => {
    const domain = 'again.test'
    await add({ domain, number: '1', expires: stores().clock.now() + 1 })
    stores().clock.move(1)

    expect(await add({ domain, number: '1', expires: stores().clock.now() + 5 })).toBe('added')
    expect(await lists().names(domain)).toEqual(['spam'])
    stores().clock.move(5)
    expect(await lists().names(domain)).toEqual([])
    expect(await add({ domain, number: '1' })).toBe('added')
    expect(await lists().removeList(domain, 'spam')).toBe(1)
  })

  test('a blacklist whose latest expiry was removed is judged by its present entries', async () => {
    const domain = 'latest.test'
    const now = stores().clock.now()
    await add({ domain, number: '1', expires: now + 1_000 })
    await add({ domain, number: '2', expires: now + 10 })
    await lists().remove(domain, 'spam', '1')

    expect(await lists().names(domain)).toEqual(['spam'])
    stores().clock.move(10)
    expect(await lists().names(domain)).toEqual([])
    expect(await lists().removeList(domain, 'spam')).toBe(0)
  })

  test('a removed list counts only the entries whose time is not over', async () => {
    const domain = 'count.test'
    await fill(domain, ['1', '2', '3'], { expires: stores().clock.now() + 1 })
    await fill(domain, ['4', '5'])
    stores().clock.move(1)

    expect(await lists().removeList(domain, 'spam')).toBe(2)
  })

  test('the limits of numbers and of blacklists are exact, and expired entries no longer count', async () => {
    const domain = 'limit.test'
    const most = { entries: 3, lists: 2 }
    const expires = stores().clock.now() + 10
    for (const number of ['1', '2']) await add({ domain, number, expires }, most)
    await add({ domain, number: '3' }, most)
    await add({ domain, list: 'b', expires }, most)

    expect(await add({ domain, number: '4' }, most)).toBe('list_full')
    expect(await add({ domain, number: '3' }, most)).toBe('exists')
    expect(await add({ domain, list: 'c' }, most)).toBe('lists_full')
    stores().clock.move(10)
    expect(await add({ domain, number: '4' }, most)).toBe('added')
    expect(await add({ domain, number: '1' }, most)).toBe('added')
    expect(await add({ domain, number: '5' }, most)).toBe('list_full')
    expect(await add({ domain, list: 'c' }, most)).toBe('added')
    expect(await add({ domain, list: 'd' }, most)).toBe('lists_full')
    expect(await lists().names(domain)).toEqual(['c', 'spam'])
  })

  test('one of many simultaneous additions of a number succeeds', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => add({ domain: 'one.test' })))

    expect(results.toSorted()).toEqual(['added', ...Array.from({ length: 5 }, () => 'exists')])
    expect(await lists().removeList('one.test', 'spam')).toBe(1)
  })

  test('the counts of blacklists stay exact under simultaneous additions and removals', async () => {
    const domain = 'race.test'
    const most = { entries: 5, lists: 1 }
    const added = await Promise.all(Array.from({ length: 8 }, (_, index) => add({ domain, number: `${index}` }, most)))
    expect(added.toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'added'),
      'list_full',
      'list_full',
      'list_full',
    ])

    const there = await numbers(domain)
    const removed = await Promise.all(
      there.flatMap((number) => [number, number]).map((number) => lists().remove(domain, 'spam', number)),
    )

    expect(removed.filter(Boolean)).toHaveLength(5)
    expect(await lists().names(domain)).toEqual([])
    expect(await add({ domain, list: 'other' }, most)).toBe('added')
    expect(await add({ domain, list: 'third' }, most)).toBe('lists_full')
  })

  test('a number that is added while its blacklist is removed is either kept or counted as removed', async () => {
    const domain = 'mixed.test'
    await add({ domain, number: 'first' })

    const [removed, ...added] = await Promise.all([
      lists().removeList(domain, 'spam'),
      ...Array.from({ length: 5 }, (_, index) => add({ domain, number: `${index}` })),
    ])

    expect(added).toEqual(Array.from({ length: 5 }, () => 'added'))
    expect(removed + (await numbers(domain)).length).toBe(6)
  })

  test("the removal of a blacklist's entries continues in the next run if the first one ran out of time", async () => {
    const domain = 'sweep.test'
    await fill(domain, ['1', '2'])
    await lists().removeList(domain, 'spam')

    await lists().sweep(domain, stores().clock.now())

    expect(await lists().sweep(domain, never)).toBe(true)
    expect(await lists().names(domain)).toEqual([])
  })
}
