/** Many requests at one time: every operation of the service, as tenants and strangers send them. */
import { readFileSync, readdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { writeToken } from '../../../functions/endpoint/token-text.ts'
import { type RawAnswer, rawRequest } from '../processes/raw-request.ts'
import { pathOf, requestTo } from './route-requests.ts'

/** Headers that say who asks. */
export type Credential = Readonly<Record<string, string>>

/** How many requests of one operation are sent at one time. */
const atOnceByDefault = 24

const nowhere = '00000000-0000-4000-8000-000000000000'
const hex = '000000000000000000000000'

/** Names of things of which none exists. */
const things = {
  domain: 'nowhere.example.com',
  account: '7999',
  channel: nowhere,
  role: 'nobody',
  token: nowhere,
  list: 'nothing',
  number: '100',
  routes: [hex, hex],
  gateway: 'nothing',
  hook: hex,
  delivery: nowhere,
  job: nowhere,
} as const

/** The token that somebody makes up who knows a tenant's name and no secret of it. */
export function madeUpToken(domain: string): Credential {
  const token = writeToken({ username: `1000@${domain}`, domain, key: nowhere }, randomBytes(32))
  return { 'x-key': nowhere, 'x-access-token': token }
}

/** Every operation, except the one that ends the token it is asked with. */
const operations: readonly Route[] = routes.filter(({ operationId }) => operationId !== 'logOut')

/** Lookups of engines, which are refused at once when more come than can be answered in time. */
const refusedEarly: ReadonlySet<string> = new Set(['lookUpDirectory', 'lookUpDialplan'])

/**
 * Sends each operation so many times at once, one operation after another; returns answers of status 500 and above,
 * early refusals apart.
 */
export async function failuresOf(url: string, credential: Credential, atOnce = atOnceByDefault): Promise<string[]> {
  const failures: string[] = []
  for (const route of operations) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => ask(url, route, credential)))
    for (const { status, text } of answers) {
      if (status >= 500 && !(status === 503 && refusedEarly.has(route.operationId))) {
        failures.push(`${route.operationId}: ${status} ${text}`)
      }
    }
  }
  return failures
}

/** Sends one request of an operation, about things of which none exists. */
function ask(url: string, route: Route, credential: Credential): Promise<RawAnswer> {
  const { params, query, body, rawBody, headers = {} } = requestTo(route, things)
  const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  const form = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text ?? '')) }
  return rawRequest(url, {
    method: route.method,
    path: pathOf(route, params) + (query === undefined ? '' : `?${query}`),
    body: text,
    headers: { ...(text === undefined ? {} : form), ...headers, ...credential },
  })
}

/** Megabytes of memory that all processes of a state folder have in use together. */
export function residentMb(stateFolder: string): number {
  const pages = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => residentPages(pid, stateFolder))
  return (pages.reduce((sum, one) => sum + one, 0) * 4096) / 1e6
}

function residentPages(pid: string, stateFolder: string): number {
  try {
    const isOfState = ['environ', 'cmdline'].some((file) =>
      readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(stateFolder),
    )
    return isOfState ? Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) : 0
  } catch {
    // It has ended meanwhile.
    return 0
  }
}
