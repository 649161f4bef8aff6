import * as z from 'zod/mini'
import type { Log } from '../../adapters/log/logger.ts'
import { login } from '../../contracts/fields.ts'
import { type Presence, liveContacts } from '../../core/accounts/presence.ts'
import { loginOfRegistration, registeredName } from '../../core/accounts/dial-string.ts'
import { firstExisting } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import type { EngineLink } from '../runtime/engine.ts'
import type { PresenceTracker } from '../events/presence.ts'
import { type Registration, contactId, refusalOf } from '../events/registration.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { isProfileName } from '../commands/command-line.ts'

/** The engine lists a registration up to 0.2 s late: a difference counts when two readings show it. */
const readings = [1_000, 4_000]

/** One row a user, even with several phones: it shows whether there is one, not how many. */
const row = z.object({ reg_user: z.string(), realm: z.string(), url: z.string(), expires: z.string() })
const list = z.object({ row_count: z.int(), rows: z.optional(z.array(row)) })

type Row = z.infer<typeof row>

interface Listing {
  readonly phones: ReadonlyMap<string, Listed>
  /** Users of realms that are no domain: the owners of their phones are unknown. */
  readonly unplaced: ReadonlySet<string>
}

interface Listed {
  readonly domain: string
  readonly registration: Registration
}

export interface RegistrationCheckDeps extends Time {
  readonly presence: Pick<PresenceTracker, 'load' | 'refresh' | 'snapshot' | 'isSame'>
  readonly domains: DomainNames
  /** Every engine: a phone that one does not list may be registered at another. */
  readonly links: () => readonly Pick<EngineLink, 'api'>[]
  readonly found: (domain: string, registration: Registration) => void
  readonly log: Log
}

/**
 * Compares the known phones with those that the engines list, after an event link came up. An account whose phones are
 * all gone, or that has a phone without any report, is recorded. The stored accounts of its domain are read first, and
 * changes that another connector has stored are adopted and not published again. An account is left alone if any event
 * of it came meanwhile, and so are all if an engine or a store cannot be asked; their registrations then expire by
 * themselves.
 */
export async function checkRegistrations(parts: RegistrationCheckDeps, signal: AbortSignal): Promise<void> {
  const { timers, clock, presence } = parts
  const startedAt = clock.now()
  const atFirst = presence.snapshot()
  const lists: Listing[] = []
  try {
    for (const due of readings) {
      await pause(timers, Math.max(0, startedAt + due - clock.now()), signal)
      if (signal.aborted) return
      lists.push(await listedPhones(parts))
    }
    if (!signal.aborted) await settleDifferences(parts, atFirst, lists)
  } catch (problem) {
    const reason = problem instanceof Error ? problem.name : ''
    parts.log.warn('the registrations of an engine could not be compared', { reason })
  }
}

/** The phones that all engines list together, by account. Rejects when one cannot be asked. */
async function listedPhones({ links, domains, clock }: RegistrationCheckDeps): Promise<Listing> {
  const phones = new Map<string, Listed>()
  const unplaced = new Set<string>()
  for (const link of links()) {
    const { rows = [] } = list.parse(JSON.parse(await link.api('show registrations as json')))
    const believed = await believedRows(link, rows)
    for (const { reg_user: name, realm, url, lastsSeconds: told, expires } of believed) {
      const user = loginOfRegistration(name)
      // Registered under the To header of another domain: no call is routed to it there.
      if (user !== name && name !== registeredName({ login: user, domain: realm })) continue
      const domain = await firstExisting([realm.toLowerCase()], domains)
      const lastsSeconds = told ?? Number(expires) - Math.floor(clock.now() / 1_000)
      if (domain === '') unplaced.add(user.toLowerCase())
      if (domain === '' || !login.safeParse(user).success || !(lastsSeconds > 0)) continue
      const registration = {
        login: user.toLowerCase(),
        contact: contactId(addressOf(url)),
        lastsSeconds,
        ...refusalOf(name, addressOf(url)),
      }
      phones.set(`${registration.login}@${domain}`, { domain, registration })
    }
  }
  return { phones, unplaced }
}

/** Leaves out the phones that their SIP profiles have no more, and adds how long the others last. */
async function believedRows(
  link: Pick<EngineLink, 'api'>,
  rows: readonly Row[],
): Promise<(Row & { readonly lastsSeconds?: number })[]> {
  const names = new Set(rows.map(({ url }) => profileOf(url)))
  const lists = await Promise.all(
    [...names].map(async (name) => {
      const listed = await profileRegistrations(link, name)
      return [name, listed && Map.groupBy(listed, ({ user }) => user)] as const
    }),
  )
  const byProfile = new Map(lists)
  return rows.flatMap((row) => {
    const listed = byProfile.get(profileOf(row.url))
    if (listed === undefined) return row
    const own = listed.get(`${row.reg_user}@${row.realm}`) ?? []
    const last = own.find(({ contact }) => contact === contactId(addressOf(row.url))) ?? own[0]
    return last === undefined ? [] : { ...row, lastsSeconds: last.lastsSeconds }
  })
}

async function settleDifferences(
  { presence, found, clock }: RegistrationCheckDeps,
  atFirst: ReadonlyMap<string, Presence>,
  lists: readonly Listing[],
): Promise<void> {
  const isListed = (key: string, { login }: Presence) =>
    lists.some(({ phones, unplaced }) => phones.has(key) || unplaced.has(login))
  const gone = [...atFirst].filter(([key, account]) => isOnline(account, clock.now()) && !isListed(key, account))
  const come = [...(lists.at(-1)?.phones ?? [])].filter(
    ([key]) => lists.every(({ phones }) => phones.has(key)) && !isOnline(atFirst.get(key), clock.now()),
  )
  const affected = new Set([...gone.map(([, { domain }]) => domain), ...come.map(([, { domain }]) => domain)])
  const untouched = new Set(gone.filter(([, account]) => presence.isSame(account)).map(([key]) => key))
  for (const domain of affected) {
    await presence.load(domain)
    await presence.refresh(domain)
  }
  const stored = presence.snapshot()
  for (const [key, account] of gone) {
    const { domain, login } = account
    const now = stored.get(key)
    // Reading the stores took time, in which the phone may have come back.
    if (untouched.has(key) && isOnline(now, clock.now()) && !hasNewPhone(now, account)) {
      found(domain, { login, contact: '*', lastsSeconds: 0 })
    }
  }
  for (const [key, { domain, registration }] of come) {
    if (!isOnline(stored.get(key), clock.now())) found(domain, registration)
  }
}

function isOnline(account: Presence | undefined, now: number): boolean {
  return liveContacts(account, now) > 0
}

function hasNewPhone(now: Presence | undefined, before: Presence): boolean {
  const isOld = (id: string, expiresAt: number) =>
    before.contacts.some((contact) => contact.id === id && contact.expiresAt === expiresAt)
  return now?.contacts.some(({ id, expiresAt }) => !isOld(id, expiresAt)) === true
}

/** `sofia/internal/sip:1000@192.0.2.1` is the contact `sip:1000@192.0.2.1` at the profile `internal`. */
function profileOf(url: string): string {
  return /^sofia\/([^/]+)\//.exec(url)?.[1] ?? ''
}

function addressOf(url: string): string {
  return url.replace(/^sofia\/[^/]+\//, '')
}

/** A phone that a SIP profile has registered. */
export interface ProfileRegistration {
  /** `<user>@<host>`, as in the list of all profiles. */
  readonly user: string
  readonly contact: string
  readonly lastsSeconds: number
}

const registration = /^User: +\t(\S+)\nContact: +\t(.*)\n(?:.*\n)?Status: +\t.*EXPSECS\((-?\d{1,9})\)$/gm

/**
 * Returns the registrations of a SIP profile; `undefined` if the engine does not list them. The engine's list of all
 * profiles keeps phones that were dropped, and dates them by the engine's clock; the profile itself rings only these.
 */
async function profileRegistrations(
  link: Pick<EngineLink, 'api'>,
  profile: string,
): Promise<ProfileRegistration[] | undefined> {
  if (!isProfileName(profile)) return undefined
  const text = await link.api(`sofia status profile ${profile} reg`)
  if (!text.trimStart().startsWith('Registrations:')) return undefined
  return [...text.matchAll(registration)].map(([, user = '', contact = '', seconds]) => ({
    user,
    contact: contactId(contact),
    lastsSeconds: Number(seconds),
  }))
}
