/** A tenant whose names and settings are changed, and proofs of what became of them. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as readDomain } from '../../../functions/domains/read-domain.ts'
import { type Api, anApi } from './api.ts'
import { askDirectory, directoryForm } from './directory-reader.ts'
import { emailSettingsOf } from '../records/records.ts'

/** The domain of the tenant. */
export const fieldDomain = 'a.example.com'
const domain = fieldDomain

/** The records that belong to accounts and domains, by their names. */
export type Settings = 'parameters' | 'variables'

/** A tenant with an admin `1000`, a user `1001` and mail settings. */
export interface FieldHarness {
  readonly api: Api
  readonly admin: Readonly<Record<string, string>>
  readonly root: Readonly<Record<string, string>>
}

/** Makes one. */
export async function aFieldHarness(): Promise<FieldHarness> {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ domain, role: 'admin' }))) }
  await api.account({ domain, login: '1001' })
  const { options, ...settings } = emailSettingsOf({ domain })
  await api.ports.emailSettings.put({ ...settings, options: { ...options, auth: undefined } })
  return { api, admin, root: { ...(await api.as('root')) } }
}

/** Name and value of each setting of a list of `name=value`: of a name given twice the last counts, none is empty. */
function settingsIn(items: readonly unknown[]): [string, string][] {
  const pairs = items.map((item): [string, string] => {
    const text = String(item)
    return [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
  })
  return [...new Map(pairs)].filter(([, value]) => value !== '')
}

async function directoryUser({ api }: FieldHarness, login: string) {
  const { users } = await askDirectory(api, directoryForm({ user: login, domain }))
  expect(users).toHaveLength(1)
  return users[0]
}

/** An account can be read by its login, which the engine gets too. */
export async function proveAccount(harness: FieldHarness, login: string): Promise<void> {
  const { api, admin } = harness
  expect(await api.call(readAccount, { headers: admin, params: { account_id: login } })).toMatchObject({ status: 200 })
  expect(await directoryUser(harness, login)).toMatchObject({ id: login, variables: { user_context: domain } })
}

/** Phones and users of an account log in by a password, exactly as it was sent. */
export async function provePassword(harness: FieldHarness, login: string, password: string): Promise<void> {
  const digest = createHash('md5').update(`${login}:${domain}:${password}`).digest('hex')
  expect((await directoryUser(harness, login)).params['a1-hash']).toBe(digest)
  const body = { username: `${login}@${domain}`, password }
  expect(await harness.api.call(logIn, { body })).toMatchObject({ status: 200 })
}

/** The settings of an account are shown, and served to the engine, exactly as they were sent. */
export async function proveSettings(
  harness: FieldHarness,
  login: string,
  field: Settings,
  value: unknown,
): Promise<void> {
  const { api, admin } = harness
  const { body } = await api.call(readAccount, { headers: admin, params: { account_id: login } })
  const user = await directoryUser(harness, login)
  for (const [name, text] of settingsIn([value].flat())) {
    expect(body.data[field === 'variables' ? `variable_${name}` : name]).toBe(text)
    // Parameters for the client's own use are not served.
    const isServed = field === 'variables' || !name.startsWith('x-')
    expect((field === 'variables' ? user.variables : user.params)[name]).toBe(isServed ? text : undefined)
  }
}

/** A domain can be read by its name, which the engine gets too. */
export async function proveDomain({ api, root }: FieldHarness, name: string): Promise<void> {
  const lower = name.toLowerCase()
  const { body } = await api.call(readDomain, { headers: root, params: { domain_name: lower } })
  expect(body.info.name).toBe(lower)
  expect((await askDirectory(api, directoryForm({ domain: lower }))).domain).toBe(lower)
}

/** A domain has exactly the settings that were sent, for its admins and for the engine. */
export async function proveDomainSettings(
  harness: FieldHarness,
  name: string,
  field: Settings,
  value: unknown,
): Promise<void> {
  const { api, root } = harness
  const wanted = settingsIn([value].flat())
  const { body } = await api.call(readDomain, { headers: root, params: { domain_name: name } })
  expect(new Set(body.info[field])).toEqual(new Set(wanted.map((pair) => pair.join('='))))
  expect(body.info[field]).toHaveLength(wanted.length)
  const directory = await askDirectory(api, directoryForm({ domain: name }))
  const given = field === 'variables' ? directory.variables : directory.params
  for (const [setting = '', text] of wanted) {
    const isServed = field === 'variables' || !setting.startsWith('x-')
    expect(given[setting]).toBe(isServed ? text : undefined)
  }
}
