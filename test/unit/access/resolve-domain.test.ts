import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { resolveDomain } from '../../../core/access/resolve-domain.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { anApi } from '../../support/platform/api.ts'
import { aCaller, aRoot } from '../../support/platform/caller.ts'
import { aDomain } from '../../support/records/records.ts'

const none = { query: undefined, body: undefined }

async function domains() {
  const { ports } = anApi()
  await ports.domains.create(aDomain())
  return ports.domains
}

describe('a caller bound to a domain', () => {
  it.each([none, { ...none, query: 'A.EXAMPLE.com' }, { ...none, body: 'a.example.com' }])(
    'a caller bound to a domain who names %j works in that domain',
    async (named) => {
      await expect(resolveDomain(aCaller({ domainCreatedAt: 7 }), named, 'required', await domains())).resolves.toEqual(
        {
          name: 'a.example.com',
          createdAt: 7,
        },
      )
    },
  )

  it.each([
    { ...none, query: 'b.example.com' },
    { ...none, body: 'b.example.com' },
    { query: 'a.example.com', body: 'b.example.com' },
    { ...none, query: '' },
  ])('a caller bound to a domain who names %j is refused', async (named) => {
    await expect(resolveDomain(aCaller(), named, 'optional', await domains())).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })
})

describe('root', () => {
  it.each([
    [none, 'required', 'domain_required'],
    [{ ...none, query: 'nobody.example.com' }, 'optional', 'not_found'],
    [{ ...none, body: '' }, 'optional', 'not_found'],
    [{ query: 'a.example.com', body: 'b.example.com' }, 'required', 'invalid_field'],
  ] as const)('who names %j where it is %s gets %s', async (named, rule, code) => {
    await expect(resolveDomain(aRoot(), named, rule, await domains())).rejects.toMatchObject({ code })
  })

  it('root works in the domain that it names, in any case of its letters', async () => {
    const named = { query: 'A.example.com', body: 'a.EXAMPLE.com' }

    await expect(resolveDomain(aRoot(), named, 'required', await domains())).resolves.toEqual({
      name: 'a.example.com',
      createdAt: aDomain().createdAt,
    })
  })

  it('root works in all domains if it names none and the operation allows that', async () => {
    await expect(resolveDomain(aRoot(), none, 'optional', await domains())).resolves.toBeNull()
  })
})

describe('a domain of the query that only looks like the own one', () => {
  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/crossing-tenants.json', import.meta.url), 'utf8'),
  )
  const queries = (samples['domain in the query'] ?? []).map(
    (line) => line.slice(line.indexOf('?') + 1).split('#')[0] ?? '',
  )

  it.each(queries)('a list with %s shows nothing of the other tenant', async (query) => {
    const api = anApi()
    const own = await api.account({ domain: 'acme.example.com', login: 'own', role: 'admin' })
    await api.account({ domain: 'other.example.com', login: 'theirs' })

    const answer = await api.call(listAccounts, { query, headers: { ...(await api.as(own)) } })

    expect([200, 400, 403]).toContain(answer.status)
    expect(answer.text).not.toContain('theirs')
    if (answer.status === 200) expect(Object.keys(answer.body.data)).toEqual(['own'])
  })
})
