import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { type Api, anApi, passwordOf } from '../../support/platform/api.ts'
import { fixed, hostileText, isUnreadable, mutated, notText } from '../../support/records/hostile-text.ts'
import { dumpOf, tracesOf } from '../../support/stores/memory-dump.ts'
import { aTenant, people } from '../../support/platform/tenant.ts'

const domain = 'a.example.com'
const right = { username: `${people.user}@${domain}`, password: passwordOf(people.user) }

interface Body {
  readonly username?: unknown
  readonly password?: unknown
  readonly code?: unknown
}

/** Names that could be taken for the user's, or for root's. */
const usernames = fc.oneof(
  { weight: 3, arbitrary: fc.constant(right.username) },
  { weight: 5, arbitrary: mutated(right.username) },
  { weight: 1, arbitrary: fc.constantFrom('root', 'ROOT', 'root@', '@', `@${domain}`, 'x'.repeat(300_000)) },
  { weight: 2, arbitrary: fc.oneof(hostileText, notText, fc.constant(undefined)) },
)

/** Passwords that could be taken for the user's; each that is text bears a mark, by which a leak would be found. */
const passwords = fc.oneof(
  { weight: 4, arbitrary: mutated(right.password) },
  { weight: 2, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.oneof(notText, fc.constantFrom(undefined, '', 'p'.repeat(200_000))) },
)
const marked = passwords.map((password) => (typeof password === 'string' ? `${password}planted` : password))

const codes = fc.oneof(fc.constant(undefined), hostileText, notText)

const lowerAscii = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
const isOdd = (value: unknown) => value !== undefined && typeof value !== 'string'
const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap(textsIn) : [value].filter(isText))
const isText = (value: unknown): value is string => typeof value === 'string'

/** The contract's answer to a body, none of which has the right password. */
function expectedOf({ username, password, code }: Body): number {
  if (Buffer.byteLength(JSON.stringify({ username, password, code })) > 256 * 1024) return 413
  if (isOdd(username) || isOdd(password) || isOdd(code)) return 400
  if ([username, password, code].flatMap(textsIn).some(isUnreadable)) return 400
  if (!isText(username) || username === '') return 400
  if (username === 'root') return 401
  if (!username.includes('@') || username.length > 320) return 400
  return lowerAscii(username) === right.username ? 401 : 404
}

async function setUp() {
  const api = anApi()
  await aTenant(api, { domain, mark: 'mark-a' })
  await aTenant(api, { domain: `x.${domain}`, mark: 'mark-b' })
  return api
}

/** The keys by which a failed login is counted: the user in the network, the network, the user. */
function countersOf(username: unknown, rootVersion: string): string[] {
  const named = typeof username === 'string' ? lowerAscii(username) : ''
  const user = named === 'root' ? `root ${rootVersion}` : `user ${named}`
  return [`198.51.100.0/24 ${user}`, 'network 198.51.100.0/24', user]
}

const withoutCounters = (api: Api) => dumpOf(api, ['failures'])

describe('a generated login body', () => {
  it("a generated login body gets the contract's status and no token, and counts only against the user that it names", async () => {
    const api = await setUp()
    const before = withoutCounters(api)
    const counted = [...api.ports.state.failures]
    const hash = (await api.ports.accounts.read(domain, people.user))?.passwordHash ?? 'no account'
    const seen = new Set<number>()
    const rootVersion = await api.ports.secrets.rootVersion()

    await fc.assert(
      fc.asyncProperty(usernames, marked, codes, async (username, password, code) => {
        const body = { username, password, code }

        const answer = await api.call(logIn, { body })

        expect(answer.status).toBe(expectedOf(body))
        expect(withoutCounters(api)).toBe(before)
        const isOther = ([key]: readonly [string, unknown]) => !countersOf(username, rootVersion).includes(key)
        expect([...api.ports.state.failures].filter(isOther)).toEqual(counted.filter(isOther))
        expect(answer.text).not.toContain('planted')
        seen.add(answer.status)
        restoreCounters(api, counted)
      }),
      fixed(1000),
    )

    expect(seen).toEqual(new Set([400, 401, 404, 413]))
    for (const secret of ['planted', right.password, hash]) expect(tracesOf(api)).not.toContain(secret)
    expect(await api.call(logIn, { body: right })).toMatchObject({ status: 200 })
  })

  it('a right login body with additional members gives the token of the account', async () => {
    const api = await setUp()
    const extra = fc.dictionary(
      fc.oneof(fc.constantFrom('role', 'acl', 'domain', 'roleName', 'expires', 'key'), fc.string({ maxLength: 8 })),
      fc.oneof(notText, fc.constantFrom<unknown>('admin', 'root', 99, { '*': ['*'] })),
      { maxKeys: 4 },
    )

    await fc.assert(
      fc.asyncProperty(extra.filter(isHarmless), async (more) => {
        const answer = await api.call(logIn, { body: { ...more, ...right } })

        expect(answer).toMatchObject({ status: 200, body: { role: 0, roleName: 'user', username: right.username } })
        expect(answer.body.acl).not.toHaveProperty(['*'])
      }),
      fixed(100),
    )
  })
})

/** Refused for themselves, or read: the code of a second factor must be text. */
function isHarmless(more: Record<string, unknown>): boolean {
  const texts = [...Object.keys(more), ...Object.values(more).flatMap(textsIn)]
  return !texts.some(isUnreadable) && !Object.hasOwn(more, '__proto__') && !Object.hasOwn(more, 'code')
}

function restoreCounters(
  { ports }: Api,
  counted: Iterable<Parameters<Api['ports']['state']['failures']['set']>>,
): void {
  ports.state.failures.clear()
  for (const [key, failures] of counted) ports.state.failures.set(key, failures)
}
