import { XMLParser } from 'fast-xml-parser'
import { fromByteText, toByteText } from '../byte-text.ts'

/** Answers a lookup: the fields that the engine sends form-encoded, to the XML text of the answer. */
export type DirectoryLookup = (form: Readonly<Record<string, string>>) => Promise<string>

/** A user as the directory tells it. All byte text. */
export interface DirectoryUser {
  readonly login: string
  readonly domain: string
  /** What every channel of the user carries: the domain's variables, then the user's own. */
  readonly variables: ReadonlyMap<string, string>
}

/** What the engine asks for: which user, where, and what it is about to do with it. */
export interface DirectoryQuestion {
  /** A login or a number. */
  readonly user: string
  readonly domain: string
  /** `user_call` before a phone is rung, `sip_auth` when one registers. */
  readonly action: 'user_call' | 'sip_auth'
}

const arrays = new Set(['domain', 'group', 'user', 'param', 'variable', 'section'])
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  isArray: (name) => arrays.has(name),
})

/**
 * Looks a user up for a call. Nothing when the directory does not know it, and when it fails in any way: to the engine
 * an unreachable directory and an unknown user are the same (`xml-curl/register-500` and its siblings).
 */
export async function lookUpUser(
  lookup: DirectoryLookup,
  question: DirectoryQuestion,
): Promise<DirectoryUser | undefined> {
  const answer = await askForUser(lookup, question)
  return typeof answer === 'string' ? undefined : answer
}

/** Looks a user up, and tells a directory that does not know it from one that failed. */
export async function askForUser(
  lookup: DirectoryLookup,
  question: DirectoryQuestion,
): Promise<DirectoryUser | 'unknown' | 'failed'> {
  const user = fromByteText(question.user)
  const domain = fromByteText(question.domain)
  try {
    const document: unknown = parser.parse(await lookup(lookupForm(user, domain, question.action)))
    return readUser(document, domain) ?? 'unknown'
  } catch {
    return 'failed'
  }
}

/** The fields of a lookup, as far as a directory can have a use for them (`xml-curl/call-user-1.http`). */
function lookupForm(user: string, domain: string, action: string): Record<string, string> {
  return {
    hostname: 'fs1',
    section: 'directory',
    tag_name: 'domain',
    key_name: 'name',
    key_value: domain,
    'Event-Name': 'REQUEST_PARAMS',
    ...(action === 'user_call' ? { as_channel: 'true' } : { sip_auth_username: user, sip_auth_realm: domain }),
    action,
    key: 'id',
    user,
    domain,
  }
}

function readUser(document: unknown, domainName: string): DirectoryUser | undefined {
  const domain = children(child(child(document, 'document'), 'section'), 'domain')[0]
  const groups = children(child(domain, 'groups'), 'group')
  const holders = [domain, ...groups]
  const users = [...holders, ...holders.map((holder) => child(holder, 'users'))].flatMap((holder) =>
    children(holder, 'user'),
  )
  const login = attribute(users[0], 'id')
  if (login === undefined) return undefined
  return {
    login: toByteText(login),
    domain: toByteText(attribute(domain, 'name') ?? domainName),
    variables: new Map([...variablesOf(domain), ...variablesOf(users[0])]),
  }
}

function variablesOf(holder: unknown): [string, string][] {
  return children(child(holder, 'variables'), 'variable').flatMap((variable): [string, string][] => {
    const name = attribute(variable, 'name')
    const value = attribute(variable, 'value')
    return name === undefined || value === undefined || value === '' ? [] : [[toByteText(name), toByteText(value)]]
  })
}

function child(element: unknown, name: string): unknown {
  const found = isRecord(element) ? element[name] : undefined
  return Array.isArray(found) ? found[0] : found
}

function children(element: unknown, name: string): unknown[] {
  const found = isRecord(element) ? element[name] : undefined
  return Array.isArray(found) ? found : []
}

function attribute(element: unknown, name: string): string | undefined {
  const found = isRecord(element) ? element[name] : undefined
  return typeof found === 'string' ? found : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
