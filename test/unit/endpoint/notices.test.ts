import { describe, expect, it } from 'vitest'
import { cors } from '../../../contracts/routes/cors.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { handler as addBlacklistNumber } from '../../../functions/blacklists/add-blacklist-number.ts'
import { handler as listBlacklists } from '../../../functions/blacklists/list-blacklists.ts'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as listDefaultRoutes } from '../../../functions/default-routes/list-default-routes.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import { anApi } from '../../support/platform/api.ts'
import { documentText } from '../../support/records/document.ts'

const header = 'X-Callplane-Notice'

describe('while default routes and blacklists do not rule calls', () => {
  it('each of their operations has a notice that a header can carry, and no other operation has one', () => {
    const noticed = routes.filter(({ notice }) => notice !== undefined)

    expect(noticed.map(({ path }) => path).sort()).toEqual(
      routes
        .map(({ path }) => path)
        .filter((path) => /^\/api\/v2\/routes\/(default|blacklists)/.test(path))
        .sort(),
    )
    expect(noticed).not.toEqual([])
    for (const { notice } of noticed) expect(notice).toMatch(/^[ -~]+ do not (rule|block) calls yet$/)
  })

  it('successes of default routes and blacklists have the notice in a header, and their bodies follow the contract', async () => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }

    const route = await api.call(createDefaultRoute, { headers, body: { destination_number: '^1$' } })
    const added = await api.call(addBlacklistNumber, {
      headers,
      params: { blacklist_name: 'spam' },
      body: { number: '1' },
    })
    const lists = await api.call(listBlacklists, { headers })
    const defaults = await api.call(listDefaultRoutes, { headers })

    const stored = 'default routes are stored, and do not rule calls yet'
    expect([route.headers[header], defaults.headers[header]]).toEqual([stored, stored])
    const listed = 'blacklists are stored, and do not block calls yet'
    expect([added.headers[header], lists.headers[header]]).toEqual([listed, listed])
    expect([Object.keys(route.body), added.body]).toEqual([['_id'], { ok: 1, Modified: 1, n: 1 }])
  })

  it('refusals and other operations have no notice', async () => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }

    const refused = await api.call(createDefaultRoute, { headers, body: {} })
    const hooks = await api.call(listHooks, { headers })

    expect([refused.status, refused.headers[header]]).toEqual([400, undefined])
    expect([hooks.status, hooks.headers[header]]).toEqual([200, undefined])
  })

  it('browsers may read the notice, and the README says the same', () => {
    expect(cors.exposedHeaders).toContain(header)
    expect(documentText('../README.md')).toContain('**Default routes and blacklists do not rule calls yet.**')
  })
})
