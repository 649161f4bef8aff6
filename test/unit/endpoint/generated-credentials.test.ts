import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { handler as whoAmI } from '../../../functions/auth/who-am-i.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { fixed, hostileText, mutated } from '../../support/records/hostile-text.ts'
import { dumpOf, tracesOf } from '../../support/stores/memory-dump.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { aTenant, credentialOf, domainCredential, people, usualThings } from '../../support/platform/tenant.ts'

const domain = 'a.example.com'
const other = 'x.a.example.com'

interface Pair {
  readonly token: string
  readonly key: string
}

const pairOf = (headers: Readonly<Record<string, string>>): Pair => ({
  token: headers['x-access-token'] ?? '',
  key: headers['x-key'] ?? '',
})

/** Two tenants, and the credentials of an admin of each, of a user and of a program. */
async function setUp() {
  const api = anApi()
  await aTenant(api, { domain, mark: 'mark-a' })
  await aTenant(api, { domain: other, mark: 'mark-b' })
  const admin = pairOf(await credentialOf(api, { domain }, people.admin))
  const user = pairOf(await credentialOf(api, { domain }, people.user))
  const foreign = pairOf(await credentialOf(api, { domain: other }, people.admin))
  const program = pairOf(await domainCredential(api, { domain, role: 'admin' }))
  return { api, pairs: { admin, user, foreign, program } }
}

type Pairs = Awaited<ReturnType<typeof setUp>>['pairs']

/** Claims that no token has: of other users, of other types, or no object at all. */
const claims = fc.oneof(
  fc.record(
    {
      sub: fc.constantFrom<unknown>('root', `1001@${domain}`, `1001@${other}`, '', null, 7, ['root']),
      dom: fc.constantFrom<unknown>('', domain, other, `${domain}#`, null, {}),
      key: fc.constantFrom<unknown>(usualThings.token, '', null, '__proto__', '../other'),
      static: fc.constantFrom<unknown>(true, 'true', 1),
      exp: fc.constantFrom(1, 4_102_444_800),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 1 }),
)

/** Texts instead of a token, derived from existing ones. */
function tokens({ admin, user, foreign, program }: Pairs): fc.Arbitrary<string> {
  const all = [admin, user, foreign, program].map(({ token }) => token.split('.'))
  const part = (index: number) => fc.constantFrom(...all.map((parts) => parts[index] ?? ''))
  return fc.oneof(
    { weight: 4, arbitrary: mutated(admin.token) },
    { weight: 2, arbitrary: fc.tuple(part(0), part(1), part(2)).map((parts) => parts.join('.')) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(claims, part(2))
        .map(([claim, secret]) => [all[0]?.[0], base64url(JSON.stringify(claim)), secret].join('.')),
    },
    { weight: 1, arbitrary: fc.tuple(part(0), part(1), fc.constantFrom('', 'A'.repeat(43), '_'.repeat(44))).map(join) },
    { weight: 1, arbitrary: fc.constantFrom(...all.map(join)) },
    { weight: 1, arbitrary: hostileText },
  )
}

const join = (parts: readonly string[]) => parts.join('.')
const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** Texts instead of a key, or none. */
function keys({ admin, user, foreign }: Pairs): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(admin.key, user.key, foreign.key) },
    { weight: 3, arbitrary: mutated(admin.key) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(undefined, '', usualThings.token, admin.token, `${admin.key},${user.key}`),
    },
    { weight: 1, arbitrary: hostileText },
  )
}

/** Whether somebody's token stands there with what belongs to it: a program's own needs no key. */
function isGenuine(token: string, key: string | undefined, { program, ...pairs }: Pairs): boolean {
  const isUsers = Object.values(pairs).some((pair) => pair.token === token && pair.key === key)
  const { sub = '' } = JSON.parse(Buffer.from(program.token.split('.')[1] ?? '', 'base64url').toString()) as {
    sub?: string
  }
  return isUsers || (program.token === token && (key === undefined || key === sub.split('@')[0]))
}

const withToken = routes.filter(({ authentication }) => authentication === 'token')

describe('a generated pair of headers', () => {
  it('a generated pair of headers is refused everywhere, changes nothing, and is not logged', async () => {
    const { api, pairs } = await setUp()
    const before = dumpOf(api)
    const handlers = await Promise.all(withToken.map(handlerOf))
    const pair = fc
      .record({ token: tokens(pairs), key: keys(pairs), handler: fc.constantFrom(...handlers) })
      .filter(({ token, key }) => !isGenuine(token, key, pairs))

    await fc.assert(
      fc.asyncProperty(pair, async ({ token, key, handler }) => {
        const request = requestTo(handler.route, { ...usualThings, domain })
        const headers = { 'x-access-token': token, ...(key === undefined ? {} : { 'x-key': key }) }

        const answer = await api.call(handler, { ...request, headers })

        expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
        expect(dumpOf(api)).toBe(before)
      }),
      fixed(800),
    )

    for (const { token } of Object.values(pairs)) {
      expect(tracesOf(api)).not.toContain(token)
      expect(tracesOf(api)).not.toContain(token.split('.')[2])
    }
    await stillOpen(api, pairs)
  })

  it('a generated header next to a valid one gives no access under another name', async () => {
    const { api, pairs } = await setUp()
    const { token, key } = pairs.admin
    const name = fc
      .oneof(mutated('x-access-token'), fc.constantFrom('x_access_token', 'authorization', 'cookie', 'x-auth-token'))
      .filter((text) => text.toLowerCase() !== 'x-access-token')

    await fc.assert(
      fc.asyncProperty(name, fc.constantFrom('', 'Bearer ', 'Token '), async (header, scheme) => {
        const answer = await api.call(whoAmI, { headers: { [header]: scheme + token, 'x-key': key } })

        expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
      }),
      fixed(100),
    )
  })
})

/** Each credential that the generated ones were made from is good by itself, so that it is they that were refused. */
async function stillOpen(api: Api, pairs: Pairs): Promise<void> {
  for (const { token, key } of Object.values(pairs)) {
    const headers = { 'x-access-token': token, ...(key === '' ? {} : { 'x-key': key }) }
    expect(await api.call(whoAmI, { headers })).toMatchObject({ status: 200 })
  }
}

describe('a generated credential of the engine', () => {
  it('a generated credential of the engine is refused, and is not logged', async () => {
    const api = anApi()
    const right = `engine:${api.ports.secrets.engine}`
    const inBase64 = (text: string) => Buffer.from(text).toString('base64')
    const authorization = fc
      .oneof(
        mutated(right).map((text) => `Basic ${inBase64(text)}`),
        mutated(`Basic ${inBase64(right)}`),
        hostileText,
      )
      .filter((text) => Buffer.from(/^Basic ([\w+/=]+)$/i.exec(text)?.[1] ?? '', 'base64').toString() !== right)
    const before = dumpOf(api)

    await fc.assert(
      fc.asyncProperty(authorization, async (text) => {
        const headers = { authorization: text, 'content-type': 'application/x-www-form-urlencoded' }
        const answer = await api.call(lookUpDirectory, { rawBody: 'section=directory', headers })

        expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
        expect(dumpOf(api)).toBe(before)
      }),
      fixed(200),
    )

    expect(tracesOf(api)).not.toContain(api.ports.secrets.engine)
    expect(tracesOf(api)).not.toContain(inBase64(right))
  })
})
