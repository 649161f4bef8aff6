import { beforeEach, describe, expect, it } from 'vitest'
import { handler as addBlacklistNumber } from '../../../functions/blacklists/add-blacklist-number.ts'
import { handler as deleteBlacklist } from '../../../functions/blacklists/delete-blacklist.ts'
import { handler as listBlacklists } from '../../../functions/blacklists/list-blacklists.ts'
import { handler as readBlacklistNumber } from '../../../functions/blacklists/read-blacklist-number.ts'
import { handler as readBlacklist } from '../../../functions/blacklists/read-blacklist.ts'
import { handler as removeBlacklistNumber } from '../../../functions/blacklists/remove-blacklist-number.ts'
import { handler as updateDomainParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { formOfListed } from '../../../core/blacklists/number-form.ts'
import { askBlacklist } from '../../../core/dialplan/ask-blacklist.ts'
import { DomainError } from '../../../core/errors.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { anEntry } from '../../support/records/records.ts'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

const list = (blacklist_name: string) => ({ blacklist_name })
const entry = (blacklist_name: string, blacklist_number: string) => ({ blacklist_name, blacklist_number })
const names = (query = '') => api.call(listBlacklists, { headers, query })
const add = (name: string, body: unknown, query = '') =>
  api.call(addBlacklistNumber, { headers, params: list(name), body, query })
const read = (name: string, query = '') => api.call(readBlacklist, { headers, params: list(name), query })
const find = (name: string, number: string, query = '') =>
  api.call(readBlacklistNumber, { headers, params: entry(name, number), query })
const remove = (name: string, number: string, query = '') =>
  api.call(removeBlacklistNumber, { headers, params: entry(name, number), query })
const drop = (name: string, query = '') => api.call(deleteBlacklist, { headers, params: list(name), query })
const nameCountry = async (parameter: string) => {
  const params = { domain_name: 'a.example.com' }
  expect(await api.call(updateDomainParameters, { headers, params, body: [parameter] })).toMatchObject({ status: 200 })
}
const numbersOf = ({ body }: ApiAnswer) => body.map(({ number }: { number: string }) => number)

describe('a list', () => {
  it('a blacklist is created by its first number and removed with its last', async () => {
    expect((await names()).body).toEqual([])
    expect((await add('spam', { number: '1' })).body).toEqual({ ok: 1, Modified: 1, n: 1 })
    expect((await names()).body).toEqual([{ name: 'spam' }])

    expect((await remove('spam', '1')).body).toEqual({ ok: 1, n: 1 })

    expect((await names()).body).toEqual([])
  })

  it.each(['.', '..', '-x'])(
    'no blacklist is made with the name %s, and a stored one can be read and deleted',
    async (name) => {
      await api.ports.blacklists.add(
        { id: 'f'.repeat(24), domain: 'a.example.com', list: name, number: '1', createdAt: 0 },
        { entries: 9, lists: 9 },
      )

      expect(await add(name, { number: '2' })).toMatchObject({
        status: 400,
        body: {
          details: [{ field: 'blacklist_name', problem: expect.stringContaining('begin it with a letter or a digit') }],
        },
      })
      expect(numbersOf(await read(name))).toEqual(['1'])
      expect((await drop(name)).body).toEqual({ ok: 1, n: 1 })
    },
  )

  it('a missing blacklist has no entries and is no error', async () => {
    for (const answer of [await read('none'), await find('none', '1')]) {
      expect(answer).toMatchObject({ status: 200, body: [] })
    }
    for (const answer of [await remove('none', '1'), await drop('none')]) {
      expect(answer).toMatchObject({ status: 200, body: { ok: 1, n: 0 } })
    }
  })

  it('a blacklist is deleted with all of its entries, which are counted', async () => {
    for (const number of ['1', '2', '3']) await add('spam', { number })
    await add('other', { number: '1' })

    expect((await drop('spam')).body).toEqual({ ok: 1, n: 3 })

    expect((await read('spam')).body).toEqual([])
    expect((await names()).body).toEqual([{ name: 'other' }])
  })

  it('a blacklist is deleted even if the storage of its entries cannot be freed yet', async () => {
    await add('spam', { number: '1' })
    const sweep = () => Promise.reject(new DomainError('store_unavailable', 'the store does not answer'))
    const broken = api.with({ blacklists: { ...api.ports.blacklists, sweep } })

    const answer = await broken.call(deleteBlacklist, { headers, params: list('spam') })

    expect(answer).toMatchObject({ status: 200, body: { ok: 1, n: 1 } })
    expect(api.log.lines.some(({ message }) => message === 'removed list not swept')).toBe(true)
  })

  it("the names of a domain's blacklists are sorted", async () => {
    for (const name of ['b', 'A', 'ä', 'a#b', 'a b']) await add(name, { number: '1' })

    expect((await names()).body.map(({ name }: { name: string }) => name)).toEqual(['A', 'a b', 'a#b', 'b', 'ä'])
    expect((await names('limit=2')).body).toHaveLength(2)
  })
})

describe('an entry', () => {
  it('a blacklist entry is shown with its id, its list, its domain and the given fields', async () => {
    const expires = api.clock.now() + 1_000
    await add('spam', { number: '+380 (44) 123-45.67', note: 'rude', expires })

    const answer = await find('spam', '+380441234567')

    expect(answer.body).toEqual([
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        number: '+380441234567',
        name: 'spam',
        domain: 'a.example.com',
        note: 'rude',
        expires,
      },
    ])
    expect((await read('spam')).body).toEqual(answer.body)
  })

  it('a blacklist entry that is added again stays unchanged, under the same id', async () => {
    await add('spam', { number: '1', note: 'first' })
    const before = (await read('spam')).body

    expect((await add('spam', { number: '1', note: 'second' })).body).toEqual({ ok: 1, Modified: 0, n: 1 })

    expect((await read('spam')).body).toEqual(before)
  })

  it.each(['15551234', '1 555-12.34', '(1)5551234', ' 15551234'])(
    'a blacklist entry is found and removed as %j',
    async (written) => {
      await add('spam', { number: '1.555.1234' })

      expect(numbersOf(await find('spam', written))).toEqual(['15551234'])
      expect((await remove('spam', written)).body).toEqual({ ok: 1, n: 1 })
      expect((await remove('spam', written)).body).toEqual({ ok: 1, n: 0 })
    },
  )

  it('the numbers of a blacklist are compared whole', async () => {
    await add('spam', { number: 'Anna' })

    for (const other of ['nna', 'Ann', 'Anna1', '+Anna']) expect((await find('spam', other)).body).toEqual([])
  })

  it('a blacklist entry no longer exists after its expiry', async () => {
    await add('spam', { number: '1', expires: api.clock.now() + 1 })
    api.clock.move(1)

    expect((await find('spam', '1')).body).toEqual([])
    expect((await read('spam')).body).toEqual([])
    expect((await names()).body).toEqual([])
    expect((await remove('spam', '1')).body).toEqual({ ok: 1, n: 0 })
    expect((await add('spam', { number: '1' })).body.Modified).toBe(1)
  })

  it('one of two simultaneous additions creates the blacklist entry', async () => {
    const answers = await Promise.all([add('spam', { number: '1' }), add('spam', { number: '1' })])

    expect(answers.map(({ body }) => body.Modified).toSorted((a, b) => a - b)).toEqual([0, 1])
  })
})

describe('the entries of a list', () => {
  const many = Array.from({ length: 45 }, (_, index) => String(1_000 + index))
  beforeEach(async () => {
    for (const number of many) {
      await api.ports.blacklists.add(anEntry({ number, note: number.at(-1) }), { entries: 99, lists: 9 })
    }
  })

  it('the entries of a blacklist are listed by number, forty on a page', async () => {
    const [first, second] = [await read('spam'), await read('spam', 'page=2')]

    expect(numbersOf(first)).toEqual(many.slice(0, 40))
    expect(numbersOf(second)).toEqual(many.slice(40))
    expect(first.headers).toHaveProperty('X-Next-Cursor')
    expect(first.headers).not.toHaveProperty('X-Truncated')
    expect(second.headers).not.toHaveProperty('X-Next-Cursor')
  })

  it.each(['limit=7', 'limit=7&order=number&orderValue=-1', 'limit=7&order=note', 'limit=7&sort={"note":-1}'])(
    'with %s go on by the cursor, each once',
    async (query) => {
      const seen: string[] = []
      let cursor = ''
      do {
        const page = await read('spam', `${encodeURI(query)}${cursor}`)
        seen.push(...numbersOf(page))
        const next = page.headers['X-Next-Cursor']
        cursor = next === undefined ? '' : `&cursor=${next}`
      } while (cursor !== '')

      expect(seen).toHaveLength(45)
      expect(seen.toSorted()).toEqual(many)
    },
  )

  it("the list of blacklist entries continues after its cursor even if the cursor's entry was removed", async () => {
    const { headers: pageHeaders } = await read('spam', 'limit=10')
    await remove('spam', '1009')

    expect(numbersOf(await read('spam', `limit=2&cursor=${pageHeaders['X-Next-Cursor']}`))).toEqual(['1010', '1011'])
  })

  it('the entries of a blacklist can be sorted, filtered and reduced to columns', async () => {
    expect(numbersOf(await read('spam', 'limit=1&orderValue=-1'))).toEqual(['1044'])
    expect(numbersOf(await read('spam', 'order=note&orderValue=-1&limit=2'))).toEqual(['1009', '1019'])
    expect(numbersOf(await read('spam', `filter=${encodeURIComponent('{"number":"104"}')}`))).toHaveLength(5)
    expect((await read('spam', 'limit=1&columns=number')).body).toEqual([{ number: '1000' }])
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['page=0', 'page'],
    ['order=secret', 'order'],
    ['order=__proto__', 'order'],
    ['orderValue=2', 'orderValue'],
    ['order=number&sort={"note":1}', 'order'],
    ['columns=x', 'columns'],
    ['cursor=x', 'cursor'],
    ['page=2&cursor=WyIxIiwiMSJd', 'cursor'],
  ])('the entries of a blacklist are refused with %s', async (query, field) => {
    const answer = await read('spam', encodeURI(query))

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field', details: [{ field }] } })
  })
})

describe('the limits', () => {
  it('a blacklist has at most 100 000 numbers', async () => {
    const full = api.with({ blacklists: { ...api.ports.blacklists, add: async () => 'list_full' } })

    expect(await full.call(addBlacklistNumber, { headers, params: list('spam'), body: { number: '1' } })).toMatchObject(
      {
        status: 409,
        body: { code: 'conflict', info: 'a blacklist has at most 100000 numbers' },
      },
    )
  })

  it('a domain has at most 200 blacklists', async () => {
    for (let index = 0; index < 200; index += 1) await add(`list ${index}`, { number: '1' })

    expect(await add('one more', { number: '1' })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(await add('list 0', { number: '2' })).toMatchObject({ status: 200 })
    expect((await names()).body).toHaveLength(200)
  })
})

describe('what is not written by the rules is refused, and nothing is written', () => {
  it.each<[string, unknown, string]>([
    ['no number', {}, 'number'],
    ['an invalid number', { number: 15_551_234 }, 'number'],
    ['null', { number: null }, 'number'],
    ['an empty one', { number: '' }, 'number'],
    ['nothing but signs', { number: ' (-.) ' }, 'number'],
    ['33 digits', { number: '1'.repeat(33) }, 'number'],
    ['another sign', { number: '1/2' }, 'number'],
    ['a letter of another script', { number: '１５５５' }, 'number'],
    ['an expansion', { number: '${x}' }, 'number'],
    ['a line feed', { number: '1\n2' }, 'number'],
    ['an end as text', { number: '1', expires: '2030-01-01' }, 'expires'],
    ['an end that has passed', { number: '1', expires: 1 }, 'expires'],
    ['an invalid note', { number: '1', note: 1 }, 'note'],
    ['a note of two lines', { number: '1', note: 'a\nb' }, 'note'],
    ['a note of 501 characters', { number: '1', note: 'x'.repeat(501) }, 'note'],
  ])('a blacklist request with %s is refused, and nothing is written', async (_title, body, field) => {
    const answer = await add('spam', body)

    expect(answer.status).toBe(400)
    expect(answer.body.details[0].field).toBe(field)
    expect(api.ports.state.blacklists.size).toBe(0)
  })

  it.each(['', 'x'.repeat(65), 'a/b', 'a\\b', 'a\u0000b', 'a\nb', 'a\u007f'])('the list name %j', async (name) => {
    for (const answer of [
      await add(name, { number: '1' }),
      await read(name),
      await find(name, '1'),
      await drop(name),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    }
    expect(api.ports.state.blacklists.size).toBe(0)
  })

  it.each(['a#b', 'a|b', 'a%20b', '...', 'x'.repeat(64), '__proto__', 'constructor', '列表', '💥'])(
    'a blacklist may have the name %j',
    async (name) => {
      expect((await add(name, { number: '1' })).status).toBe(200)
      expect((await names()).body).toEqual([{ name }])
      expect(numbersOf(await read(name))).toEqual(['1'])
      expect((await drop(name)).body.n).toBe(1)
    },
  )

  it.each(['a_b', '1/2', '()', '%00'])('the number %j in the path', async (number) => {
    expect((await find('spam', number)).status).toBe(400)
    expect((await remove('spam', number)).status).toBe(400)
  })
})

describe('who may do what', () => {
  it.each(['b.example.com', 'b.a.example.com', 'a.example.com.b'])(
    'what an admin of %s does leaves the lists of others as they are',
    async (domain) => {
      await add('spam', { number: '1', note: 'mine' })
      const before = structuredClone([...api.ports.state.blacklists])
      headers = { ...(await api.as(await api.account({ domain, role: 'admin' }))) }

      expect((await names()).body).toEqual([])
      expect((await read('spam')).body).toEqual([])
      expect((await find('spam', '1')).body).toEqual([])
      expect((await add('spam', { number: '1' })).body.Modified).toBe(1)
      expect((await remove('spam', '1')).body.n).toBe(1)
      expect((await drop('spam')).body.n).toBe(0)
      expect([...api.ports.state.blacklists]).toEqual(before)
    },
  )
})

describe('words and numbers of one caller', () => {
  it('a word is one entry in whatever case it is written', async () => {
    await add('spam', { number: 'Anonymous' })

    expect((await add('spam', { number: 'ANONYMOUS' })).body).toEqual({ ok: 1, Modified: 0, n: 1 })
    expect(numbersOf(await read('spam'))).toEqual(['anonymous'])
    expect(numbersOf(await find('spam', 'AnonYmous'))).toEqual(['anonymous'])
    expect((await remove('spam', 'aNONYMOUS')).body).toEqual({ ok: 1, n: 1 })
  })

  it('a number is one entry however it is written, where the domain names its country', async () => {
    await nameCountry('country-code=44')
    await add('spam', { number: '+44 20 7183 8750' })

    const same = ['00442071838750', '442071838750', '02071838750', '020 7183-8750']
    const answers = await Promise.all(same.map((number) => add('spam', { number })))
    expect(answers.map(({ body }) => body.Modified)).toEqual([0, 0, 0, 0])
    expect(numbersOf(await read('spam'))).toEqual(['+442071838750'])
    expect(numbersOf(await find('spam', '02071838750'))).toEqual(['+442071838750'])
    expect((await remove('spam', '00442071838750')).body).toEqual({ ok: 1, n: 1 })
  })
})

describe('an entry from before its number was written in the form of today', () => {
  const keep = (number: string) => api.ports.blacklists.add(anEntry({ number }), { entries: 99, lists: 9 })
  const call = (number: string) => ({ number })
  const asks = (number: string, parameters: Record<string, string>) =>
    askBlacklist(api.ports.blacklists, { name: 'a.example.com', parameters }, call(number), { list: 'spam' })

  it.each(['02071838750', '442071838750', '00442071838750', '+442071838750'])(
    'a number stored as %s before the domain named its country is found, kept once, asked and removed in every spelling',
    async (stored) => {
      await nameCountry('country-code=44')
      for (const spelling of ['02071838750', '442071838750', '00442071838750', '+44 20 7183 8750']) {
        await keep(stored)

        expect(numbersOf(await find('spam', spelling))).toEqual([stored])
        expect((await add('spam', { number: spelling })).body).toEqual({ ok: 1, Modified: 0, n: 1 })
        expect(await asks(spelling, { 'country-code': '44' })).toBe(true)
        expect((await remove('spam', spelling)).body).toEqual({ ok: 1, n: 1 })
        expect(numbersOf(await read('spam'))).toEqual([])
      }
    },
  )

  it('a removal takes every spelling of a number that was stored twice, and counts them', async () => {
    await keep('02071838750')
    await keep('+442071838750')
    await nameCountry('country-code=44')

    expect((await remove('spam', '442071838750')).body).toEqual({ ok: 1, n: 2 })
    expect(numbersOf(await read('spam'))).toEqual([])
  })

  it('a word stored with capitals is found, kept once, asked and removed as the list shows it', async () => {
    await keep('Anonymous')

    expect(numbersOf(await find('spam', 'Anonymous'))).toEqual(['Anonymous'])
    expect((await add('spam', { number: 'Anonymous' })).body).toEqual({ ok: 1, Modified: 0, n: 1 })
    expect(await asks('Anonymous', {})).toBe(true)
    expect((await remove('spam', 'Anonymous')).body).toEqual({ ok: 1, n: 1 })
  })

  it('a number that was stored with more than 32 characters blocks, and is removed as it was written', async () => {
    await keep(`+44${'1'.repeat(31)}`)
    await nameCountry('country-code=44')

    expect(await asks(`0${'1'.repeat(31)}`, { 'country-code': '44' })).toBe(true)
    expect((await remove('spam', `0${'1'.repeat(31)}`)).body).toEqual({ ok: 1, n: 1 })
  })
})

it('a number that is too long with its country is refused, and nothing is written', async () => {
  await nameCountry('country-code=44')

  expect(await add('spam', { number: `0${'1'.repeat(31)}` })).toMatchObject({
    status: 400,
    body: { code: 'invalid_field', details: [{ field: 'number', problem: expect.stringContaining('32 characters') }] },
  })
  expect(api.ports.state.blacklists.size).toBe(0)
})

it.each(['none', '0', '8'])('a domain may set the national prefix %s, and no other word', async (prefix) => {
  await nameCountry(`national-prefix=${prefix}`)
  const answer = await api.call(updateDomainParameters, {
    headers,
    params: { domain_name: 'a.example.com' },
    body: ['national-prefix=nothing'],
  })

  expect(answer).toMatchObject({ status: 400, body: { info: expect.stringContaining('none') } })
})

describe('the form in which numbers are compared', () => {
  it.each([
    ['0044 20 7183 8750', { 'country-code': '44' }, '+442071838750'],
    [
      '+1 (202) 555-0123',
      { 'country-code': '1', 'international-prefix': '011', 'national-prefix': '1' },
      '+12025550123',
    ],
    ['12025550123', { 'country-code': '1', 'international-prefix': '011', 'national-prefix': '1' }, '+12025550123'],
    [
      '011442071838750',
      { 'country-code': '1', 'international-prefix': '011', 'national-prefix': '1' },
      '+442071838750',
    ],
    ['8 495 123 45 67', { 'country-code': '7', 'international-prefix': '810', 'national-prefix': '8' }, '+74951234567'],
    ['0044 20 7183 8750', {}, '00442071838750'],
    ['442', { 'country-code': '44' }, '442'],
    ['06 1234 5678', { 'country-code': '39', 'national-prefix': 'none' }, '+390612345678'],
    ['3381234567', { 'country-code': '39', 'national-prefix': 'none' }, '+393381234567'],
    ['900 123 456', { 'country-code': '34', 'national-prefix': 'none' }, '+34900123456'],
    ['+34 900 123 456', { 'country-code': '34', 'national-prefix': 'none' }, '+34900123456'],
    ['45123456', { 'country-code': '45', 'national-prefix': 'none' }, '+4545123456'],
    ['0045 45 12 34 56', { 'country-code': '45', 'national-prefix': 'none' }, '+4545123456'],
    ['112', { 'country-code': '45', 'national-prefix': 'none' }, '112'],
    ['112', { 'country-code': '49' }, '112'],
    ['*72', { 'country-code': '44' }, '*72'],
    ['Alice', { 'country-code': '44' }, 'alice'],
  ])('%s is compared with the parameters %j as %s', (number, parameters, form) => {
    expect(formOfListed(number, parameters)).toBe(form)
  })
})
