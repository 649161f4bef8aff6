import type { PresenceStore } from '../../core/accounts/presence-store.ts'
import type { Presence } from '../../core/accounts/presence.ts'
import type { Registration } from './registration.ts'

/** How an account's state is told in events. */
export type AccountState = 'NONREG' | 'ONHOOK' | 'ISBUSY'

/** A change of state, worth an event. */
export interface StateChange {
  readonly domain: string
  readonly login: string
  readonly before: AccountState
  readonly after: AccountState
  /** When the state before was observed, epoch milliseconds; 0 when nothing was. */
  readonly since: number
}

/** The phones and calls of every account that the engine told of. */
export interface PresenceTracker {
  /**
   * Makes sure that what is stored of a domain's accounts is known. Stored calls count as up; it asks no engine. Rejects
   * when the store is gone.
   */
  load(domain: string): void | Promise<void>
  /**
   * Takes over what is stored of a domain's accounts where that was observed later than what is known: another
   * connector has heard what this one missed, and has told of it. Rejects when the store is gone.
   */
  refresh(domain: string): Promise<void>
  /** Every account that is known now. What changes later changes in the tracker alone. */
  snapshot(): ReadonlyMap<string, Presence>
  /** Whether an account is still exactly as it was in a snapshot. */
  isSame(presence: Presence): boolean
  /** A phone came or went. The domain must be loaded. */
  registered(domain: string, registration: Registration, at: number): StateChange | undefined
  /** A call of an account came up or ended. The domain must be loaded. */
  called(account: { domain: string; login: string }, uuid: string, isUp: boolean, at: number): StateChange | undefined
  /** A stored call has ended long ago, or others have told of its end: its account has it no more, and no event tells so. */
  drop(account: Pick<Presence, 'domain' | 'login'>, uuid: string): void
  /** Accounts whose newest state is not stored yet, each as it is now. */
  takeChanged(): Presence[]
  /** Gives back what could not be stored; what has changed since stays as it is. */
  giveBack(presence: Presence): void
  /** Says that an account is stored as it was: without a phone and a call it is forgotten here, unless it has changed. */
  stored(presence: Presence): void
  readonly accounts: number
}

/** What the tracker keeps of an account; replaced, never changed in place. */
type Known = Presence

/**
 * Answers whether a call that was stored is still up; calls of before a restart may have ended unseen. `undefined` when
 * nobody can tell.
 */
export type IsUp = (uuid: string) => Promise<boolean | undefined>

/** Told of a stored call that has ended. Answers whether an event of its end will follow, which frees the account. */
export type OnEnded = (account: Pick<Presence, 'domain' | 'login'>, uuid: string) => Promise<boolean>

/** Takes each call that an account was stored with: it may have ended since, and counts as up until that is known. */
export type OnStoredCall = (account: Pick<Presence, 'domain' | 'login'>, uuid: string) => void

/** Phones of an account that are kept: one that registers from ever new addresses must not outgrow a stored item. */
const maxContacts = 50

/** Makes a tracker that knows nothing yet. */
export function presenceTracker(
  store: Pick<PresenceStore, 'list'>,
  onStoredCall: OnStoredCall = () => {},
): PresenceTracker {
  const known = new Map<string, Known>()
  const loads = new Map<string, true | Promise<void>>()
  const changed = new Set<string>()

  const takeUp = (presence: Presence) => {
    known.set(keyOf(presence.domain, presence.login), { ...presence, login: presence.login.toLowerCase() })
    for (const uuid of presence.calls) onStoredCall(presence, uuid)
  }

  const load = async (domain: string): Promise<void> => {
    try {
      const stored = await store.list(domain)
      for (const presence of stored) if (!isIdle(presence)) takeUp(presence)
      loads.set(domain, true)
    } catch (problem) {
      loads.delete(domain)
      throw problem
    }
  }

  const apply = (domain: string, login: string, at: number, change: (account: Known) => Partial<Known>) => {
    const key = keyOf(domain, login)
    const before = known.get(key) ?? { domain, login, contacts: [], calls: [], observedAt: 0 }
    const observedAt = Math.max(at, before.observedAt)
    const live = before.contacts.filter((contact) => contact.expiresAt > observedAt)
    const after = { ...before, contacts: live, ...change({ ...before, contacts: live }), observedAt }
    known.set(key, after)
    changed.add(key)
    const [was, is] = [stateOf(before), stateOf(after)]
    return was === is ? undefined : { domain, login, before: was, after: is, since: before.observedAt }
  }

  return {
    load: (domain) => {
      const loading = loads.get(domain)
      if (loading === true) return
      const started = loading ?? load(domain)
      if (loading === undefined) loads.set(domain, started)
      return started
    },
    refresh: async (domain) => {
      for (const presence of await store.list(domain)) {
        const key = keyOf(domain, presence.login)
        const own = known.get(key)
        if (own !== undefined && own.observedAt >= presence.observedAt) continue
        known.set(key, { ...presence, login: presence.login.toLowerCase() })
        changed.delete(key)
      }
    },
    snapshot: () => new Map(known),
    isSame: (presence) => known.get(keyOf(presence.domain, presence.login)) === presence,
    registered: (domain, { login, contact, lastsSeconds }, at) =>
      apply(domain, login, at, ({ contacts }) => ({
        contacts: [
          ...contacts.filter(({ id }) => id !== contact && contact !== '*').slice(1 - maxContacts),
          ...(lastsSeconds > 0 ? [{ id: contact, expiresAt: at + lastsSeconds * 1_000 }] : []),
        ],
      })),
    called: ({ domain, login }, uuid, up, at) => {
      if ((known.get(keyOf(domain, login))?.calls.includes(uuid) ?? false) === up) return undefined
      return apply(domain, login, at, ({ calls }) => ({
        calls: up ? [...calls, uuid] : calls.filter((call) => call !== uuid),
      }))
    },
    drop: ({ domain, login }, uuid) => {
      const key = keyOf(domain, login)
      const account = known.get(key)
      if (account === undefined) return
      known.set(key, { ...account, calls: account.calls.filter((call) => call !== uuid) })
      changed.add(key)
    },
    takeChanged: () => {
      const taken = [...changed].flatMap((key) => known.get(key) ?? [])
      changed.clear()
      return taken
    },
    giveBack: ({ domain, login }) => changed.add(keyOf(domain, login)),
    stored: (presence) => {
      const key = keyOf(presence.domain, presence.login)
      if (known.get(key) === presence && isIdle(presence)) known.delete(key)
    },
    get accounts() {
      return known.size
    },
  }
}

/** Anybody who calls can name an account that there is not: of what is over nothing is kept. */
function isIdle({ contacts, calls }: Pick<Presence, 'contacts' | 'calls'>): boolean {
  return contacts.length === 0 && calls.length === 0
}

/** No phone on line, a phone and no call, or a phone and a call. */
function stateOf({ contacts, calls }: Pick<Presence, 'contacts' | 'calls'>): AccountState {
  if (contacts.length === 0) return 'NONREG'
  return calls.length > 0 ? 'ISBUSY' : 'ONHOOK'
}

function keyOf(domain: string, login: string): string {
  return `${login.toLowerCase()}@${domain}`
}
