import type { PresenceStore } from '../../core/accounts/presence-store.ts'
import type { Presence } from '../../core/accounts/presence.ts'
import type { Clock } from '../../core/time.ts'
import type { Registration } from './registration.ts'

/** The words for an account's state in events. */
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

/** The phones and calls of every account that the engine reported. */
export interface PresenceTracker {
  /**
   * Makes sure that what is stored of a domain's accounts is known. Stored calls count as up; it asks no engine. Rejects
   * when the store is gone.
   */
  load(domain: string): void | Promise<void>
  /**
   * Takes over what is stored of a domain's accounts where that was observed later than what is known: another
   * connector has heard what this one missed, and has published it. Rejects when the store is gone.
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
  /** A stored call has ended long ago, or another connector published its end: its account has it no more, and no event is published. */
  drop(account: Pick<Presence, 'domain' | 'login'>, uuid: string): void
  /**
   * Takes the accounts whose newest state is to be stored, each as it is now: those that changed at least `ageMs` ago, 0
   * where it is not given. A registration that a phone merely refreshed is stored when half of its stored life has passed.
   */
  takeChanged(ageMs?: number): Presence[]
  /** Whether something is to be stored later. */
  readonly isWaiting: boolean
  /** Gives back what could not be stored; what has changed since stays as it is. */
  giveBack(presence: Presence): void
  /** Says that an account is stored as it was: without a phone and a call it is forgotten here, unless it has changed. */
  stored(presence: Presence): void
  readonly accounts: number
}

/** The tracked state of an account; replaced, never changed in place. */
type Known = Presence

/**
 * Answers whether a call that was stored is still up; calls from before a restart may have ended unseen. `undefined` when
 * that is unknown.
 */
export type IsUp = (uuid: string) => Promise<boolean | undefined>

/** Handles the end of a stored call. Answers whether an event of its end will follow, which frees the account. */
export type OnEnded = (account: Pick<Presence, 'domain' | 'login'>, uuid: string) => Promise<boolean>

/** Takes each call that an account was stored with: it may have ended since, and counts as up until that is known. */
export type OnStoredCall = (account: Pick<Presence, 'domain' | 'login'>, uuid: string) => void

/** Phones of an account that are kept: one that registers from ever new addresses must not outgrow a stored item. */
const maxContacts = 50

/** Makes a tracker that knows nothing yet. */
export function presenceTracker(
  store: Pick<PresenceStore, 'list'>,
  clock: Clock,
  onStoredCall: OnStoredCall = () => {},
): PresenceTracker {
  const known = new Map<string, Known>()
  const loads = new Map<string, true | Promise<void>>()
  /** When each account changed whose state is not stored, epoch milliseconds. */
  const changed = new Map<string, number>()
  /** When the stored registrations of accounts have passed half of their life, epoch milliseconds. */
  const refreshAt = new Map<string, number>()
  /** Accounts with refreshed registrations that are stored at that moment. */
  const refreshed = new Set<string>()

  const takeUp = (presence: Presence) => {
    const key = keyOf(presence.domain, presence.login)
    known.set(key, { ...presence, login: presence.login.toLowerCase() })
    refreshAt.set(key, halfLifeOf(presence))
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

  const note = (key: string) => {
    if (!changed.has(key)) changed.set(key, clock.now())
    refreshed.delete(key)
  }

  const apply = (domain: string, login: string, at: number, change: (account: Known) => Partial<Known>) => {
    const key = keyOf(domain, login)
    const before = known.get(key) ?? { domain, login, contacts: [], calls: [], observedAt: 0 }
    const observedAt = Math.max(at, before.observedAt)
    const live = before.contacts.filter((contact) => contact.expiresAt > observedAt)
    const after = { ...before, contacts: live, ...change({ ...before, contacts: live }), observedAt }
    known.set(key, after)
    // One that is merely refreshed in the first half of its stored life can wait.
    const isRefresh = hasSameParts(before, after) && !changed.has(key) && observedAt < (refreshAt.get(key) ?? 0)
    if (isRefresh) refreshed.add(key)
    else note(key)
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
        refreshAt.set(key, halfLifeOf(presence))
        changed.delete(key)
        refreshed.delete(key)
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
      note(key)
    },
    takeChanged: (ageMs = 0) => {
      const now = clock.now()
      for (const key of refreshed) if (now >= (refreshAt.get(key) ?? 0)) note(key)
      // One that changed in the future is old: the clock was set back.
      const isOld = (at: number) => at > now || now - at >= ageMs
      const taken = [...changed].filter(([, at]) => isOld(at)).map(([key]) => key)
      return taken.flatMap((key) => {
        changed.delete(key)
        const presence = known.get(key)
        if (presence !== undefined) refreshAt.set(key, halfLifeOf(presence))
        return presence ?? []
      })
    },
    get isWaiting() {
      return changed.size + refreshed.size > 0
    },
    giveBack: ({ domain, login }) => note(keyOf(domain, login)),
    stored: (presence) => {
      const key = keyOf(presence.domain, presence.login)
      if (known.get(key) !== presence || !isIdle(presence)) return
      known.delete(key)
      refreshAt.delete(key)
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

/** Whether two states of an account have the same phones and calls. */
export function hasSameParts(one: Presence, other: Presence): boolean {
  const ids = ({ contacts, calls }: Presence) => [...contacts.map(({ id }) => `contact ${id}`), ...calls].toSorted()
  const [ofOne, ofOther] = [ids(one), ids(other)]
  return ofOne.length === ofOther.length && ofOne.every((id, index) => id === ofOther[index])
}

/** When half of the life has passed that the first of an account's registrations has left, epoch milliseconds. */
function halfLifeOf({ contacts, observedAt }: Presence): number {
  const endsAt = Math.min(...contacts.map(({ expiresAt }) => expiresAt))
  return contacts.length === 0 ? observedAt : observedAt + (endsAt - observedAt) / 2
}

function keyOf(domain: string, login: string): string {
  return `${login.toLowerCase()}@${domain}`
}
