import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { type Route, takesKey } from '../../../contracts/routes/route.ts'
import type { ApiAnswer } from '../../support/platform/api.ts'
import { type PlatformKind, asText } from '../../support/platform/filled-platform.ts'
import { opened } from '../../support/processes/opened.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { codeOf, giveSecondFactor } from '../../support/records/second-factor.ts'
import { people } from '../../support/platform/tenant.ts'
import { type Caller, type Likes, callers, env, fillLikes, names, obey, queryOf, recordsOf } from './like-names.ts'

const isList = ({ query }: Route) =>
  query !== undefined && 'shape' in query && Object.hasOwn(Object(query.shape), 'cursor')

/** A key that everybody comes with; the stores' separator is in it. */
const key = 'same|key'

const byName = (wanted: readonly Route[]) => wanted.map((route) => [route.operationId, route] as const)

const keyed = routes.filter((route) => takesKey(route) && route.authentication === 'token')

/** The routes that only root may call. */
const isForRoot = ({ operationId }: Route) => operationId === 'createDomain' || operationId === 'createRole'

/** Whether root says which tenant a request is for. */
const saysWhere = ({ domain }: Route) => domain !== 'none'

/** One request of somebody who acts for a tenant. */
async function ask(
  { api, filled }: Likes,
  route: Route,
  [name, caller]: readonly [string, Caller],
  { query, key }: { readonly query?: string; readonly key?: string } = {},
): Promise<ApiAnswer> {
  const own = filled.tenants.find(({ domain }) => domain === name)
  if (own === undefined) throw new Error(`no tenant ${name}`)
  const code = codeOf(api, { domain: name, login: people.admin })
  const request = requestTo(route, { ...own.things, code })
  const { 'idempotency-key': _, ...credential } = filled.headersOf(name, caller, route)
  const headers = { ...request.headers, ...credential, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return api.call(await handlerOf(route), { ...request, headers, query: query ?? queryOf(caller, name, route) })
}

/** The parts of an answer that show other tenants than the one that it is for. */
function marksIn({ filled }: Likes, answer: ApiAnswer, name: string): string[] {
  const shown = answer.text + asText(answer.headers)
  return filled.tenants.filter(({ domain, mark }) => domain !== name && shown.includes(mark)).map(({ mark }) => mark)
}

/** Hands what one tenant was given for its next request to tenants with a name like its own. */
export function cursorsAndKeys(kind: PlatformKind): void {
  const source = opened(() => kind.open(env, fillLikes))
  const [minter] = names

  async function prepared(route: Route): Promise<Likes> {
    const platform = await source().fresh()
    obey(platform.api)
    if (route.operationId !== 'confirmTotp') return platform
    for (const domain of names) await giveSecondFactor(platform.api, { domain, login: people.admin }, false)
    return platform
  }

  describe.each(byName(routes.filter(isList)))('a cursor of %s', (_, route) => {
    it('a cursor is valid for its own tenant, and for no other', async () => {
      const platform = await prepared(route)
      // A tenant's own list of domains has one page; root's holds every tenant.
      const giver: Caller = route.operationId === 'listDomains' ? 'root' : 'admin'
      const first = await ask(platform, route, [minter, giver], { query: 'limit=1' })
      const cursor = `limit=1&cursor=${encodeURIComponent(first.headers['X-Next-Cursor'] ?? '')}`
      const kept = await recordsOf(platform, minter)

      for (const name of names.slice(1)) {
        for (const caller of callers) {
          const where = queryOf(caller, name, route)
          const answer = await ask(platform, route, [name, caller], { query: `${cursor}&${where}` })
          const isPermitted = answer.body.code !== 'permission_denied'
          if (isPermitted) expect(answer.body.details, caller).toMatchObject([{ field: 'cursor' }])
          expect(answer.status, caller).toBe(isPermitted ? 400 : 403)
          expect(isPermitted || caller === 'user', caller).toBe(true)
          expect(marksIn(platform, answer, name), caller).toEqual([])
        }
      }

      expect(await recordsOf(platform, minter)).toEqual(kept)
      const next = await ask(platform, route, [minter, giver], { query: cursor })
      expect([first.status, next.status]).toEqual([200, 200])
      expect(next.text).not.toBe(first.text)
    })
  })

  describe.each(byName(keyed.filter((route) => !isForRoot(route))))('the key of a request to %s', (_, route) => {
    it('a request key belongs to its tenant: others are served normally under it, and its first answer stays', async () => {
      const platform = await prepared(route)
      const first = await ask(platform, route, [minter, 'admin'], { key })
      const kept = await recordsOf(platform, minter)

      for (const name of names.slice(1)) {
        const answer = await ask(platform, route, [name, 'admin'], { key })
        expect(answer.headers, name).not.toHaveProperty('Idempotent-Replayed')
        expect(marksIn(platform, answer, name), name).toEqual([])
        expect(answer.status, name).toBe(200)
      }

      expect(first.status).toBe(200)
      expect(await recordsOf(platform, minter)).toEqual(kept)
      const again = await ask(platform, route, [minter, 'admin'], { key })
      // The token of a logout has ended, so the repetition is refused.
      if (route.operationId === 'logOut') expect(again.status).toBe(401)
      else expect([again.headers['Idempotent-Replayed'], again.text]).toEqual(['true', first.text])
    })
  })

  describe.each(byName(keyed.filter(saysWhere)))("root's key of a request to %s", (_, route) => {
    it("root's request key is valid for the tenant that root named with it, and for no other", async () => {
      const platform = await prepared(route)
      const first = await ask(platform, route, [minter, 'root'], { key })
      const kept = await recordsOf(platform, minter)

      for (const name of names.slice(1)) {
        const before = await recordsOf(platform, name)
        const answer = await ask(platform, route, [name, 'root'], { key })
        expect(answer, name).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
        expect(marksIn(platform, answer, name), name).toEqual([])
        expect(withoutTrail(await recordsOf(platform, name)), name).toEqual(withoutTrail(before))
      }

      expect(first.status).toBe(200)
      expect(withoutTrail(await recordsOf(platform, minter))).toEqual(withoutTrail(kept))
    })
  })
}

const withoutTrail = (records: readonly string[]) => records.filter((text) => !text.startsWith('audit '))
