import * as z from 'zod/mini'
import type { DataFolder } from '../data/data-folder.ts'
import { makePassword } from '../data/kept-secrets.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
import { pause } from '../../core/concurrency/timers.ts'
import { CallplaneError, Client } from '../../client/index.ts'
import { PlainError } from '@callplane/laptop'

/** The demo domain and its accounts. */
export const demo = {
  domain: 'demo.example.com',
  accounts: [
    { login: '1000', role: 'admin' },
    { login: '1001', role: 'user' },
    { login: '1002', role: 'user' },
  ],
  file: 'demo-accounts.json',
} as const

/** Passwords of the demo accounts by user name, and whether this start made them. */
export interface DemoAccounts {
  readonly passwords: Readonly<Record<string, string>>
  readonly made: boolean
}

/**
 * The attempts of one call at most. The waits between them add up to about a minute, the time in which refused logins
 * are free again.
 */
const attempts = 20

/** The calls of root. */
export type Root = Pick<Client, 'call'>

interface PatientDeps extends RetryDeps {
  readonly signal?: AbortSignal
}

/**
 * Works as root through the public API, and ends the login afterwards. Calls that a rate limit refuses are repeated,
 * since they were not executed: a start must not fail because the machine is busy or starts follow each other quickly.
 */
export async function asRoot<T>(
  baseUrl: string,
  password: string,
  work: (root: Root) => Promise<T>,
  deps: PatientDeps,
): Promise<T> {
  const connection = { url: baseUrl, retries: 0 }
  const token = await patient(new Client(connection), deps).call('logIn', { body: { username: 'root', password } })
  const root = patient(new Client({ ...connection, token }), deps)
  try {
    return await work(root)
  } finally {
    await root.call('logOut')
  }
}

/** Repeats also what the client does not, such as changes: what a rate limit refused was not executed. */
function patient(client: Client, { signal, ...deps }: PatientDeps): Root {
  const wait = (ms: number) => pause(deps.timers, ms, signal)
  const mayPass = (problem: unknown) =>
    signal?.aborted !== true && problem instanceof CallplaneError && problem.status === 429
  return {
    call: async (operation, ...input) =>
      (await retry(() => client.call(operation, ...input), deps, { attempts, wait, mayPass })).value,
  }
}

/**
 * Makes the demo domain and its accounts, once in the life of a data folder: the file with their passwords is written
 * last, so that a start which was cut short is finished by the next one, and what a user deletes stays deleted.
 */
export async function ensureDemo(root: Root, folder: DataFolder): Promise<DemoAccounts> {
  const kept = folder.read(demo.file)
  if (kept !== undefined) return { passwords: parsePasswords(folder, kept), made: false }
  const { domain } = demo
  const domains = await root.call('listDomains')
  if (!Object.hasOwn(domains.data, domain)) {
    await root.call('createDomain', { body: { domain_name: domain, customer_id: 'demo' } })
  }
  const listed = await root.call('listAccounts', { query: { domain } })
  const present = new Set(Object.values(listed.data).map(({ id }) => id))
  const passwords: Record<string, string> = {}
  for (const { login, role } of demo.accounts) {
    const password = makePassword()
    if (present.has(login)) {
      await root.call('updateAccount', { params: { account_id: login }, query: { domain }, body: { password, role } })
    } else {
      await root.call('createAccount', { query: { domain }, body: { login, password, role } })
    }
    passwords[`${login}@${domain}`] = password
  }
  folder.write(demo.file, `${JSON.stringify(passwords, null, 2)}\n`)
  return { passwords, made: true }
}

/** Returns the login and domain of every account of every domain. */
export async function allAccounts(root: Root): Promise<{ readonly login: string; readonly domain: string }[]> {
  const domains = Object.values((await root.call('listDomains')).data)
  const lists = await Promise.all(
    domains.map(async ({ id: domain = '' }) => {
      const accounts = Object.values((await root.call('listAccounts', { query: { domain } })).data)
      return accounts.map(({ id: login = '' }) => ({ login, domain }))
    }),
  )
  return lists.flat()
}

function parsePasswords(folder: DataFolder, text: string): Readonly<Record<string, string>> {
  try {
    return z.parse(z.record(z.string(), z.string()), JSON.parse(text))
  } catch {
    throw new PlainError(`${folder.file(demo.file)} is damaged: remove it, and the demo accounts get new passwords`)
  }
}
