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

type AccountName = Pick<Presence, 'domain' | 'login'>

/**
 * Answers whether a call that was stored is still up; calls from before a restart may have ended unseen. `undefined` when
 * that is unknown.
 */
export type IsUp = (uuid: string) => Promise<boolean | undefined>

/** Handles the end of a stored call. Answers whether an event of its end will follow, which frees the account. */
export type OnEnded = (account: AccountName, uuid: string) => Promise<boolean>

/** Takes each call that an account was stored with: it may have ended since, and counts as up until that is known. */
export type OnStoredCall = (account: AccountName, uuid: string) => void

/** Phones of an account that are kept: one that registers from ever new addresses must not outgrow a stored item. */
const maxContacts = 50

/** The phones and calls of every account that the engine reported. */
export class PresenceTracker {
  readonly #store: Pick<PresenceStore, 'list'>
  readonly #clock: Clock
  readonly #onStoredCall: OnStoredCall
  /** The tracked states of accounts; each is replaced, never changed in place. */
  readonly #known = new Map<string, Presence>()
  readonly #loads = new Map<string, true | Promise<void>>()
  /** When each account changed whose state is not stored, epoch milliseconds. */
  readonly #changed = new Map<string, number>()
  /** When the stored registrations of accounts have passed half of their life, epoch milliseconds. */
  readonly #refreshAt = new Map<string, number>()
  /** Accounts with refreshed registrations that are stored at that moment. */
  readonly #refreshed = new Set<string>()

  constructor(store: Pick<PresenceStore, 'list'>, clock: Clock, onStoredCall: OnStoredCall = () => {}) {
    this.#store = store
    this.#clock = clock
    this.#onStoredCall = onStoredCall
  }

  get accounts(): number {
    return this.#known.size
  }

  /** Whether something is to be stored later. */
  get isWaiting(): boolean {
    return this.#changed.size + this.#refreshed.size > 0
  }

  /**
   * Makes sure that what is stored of a domain's accounts is known. Stored calls count as up; it asks no engine. Rejects
   * when the store is gone.
   */
  load(domain: string): void | Promise<void> {
    const loading = this.#loads.get(domain)
    if (loading === true) return
    const started = loading ?? this.#read(domain)
    if (loading === undefined) this.#loads.set(domain, started)
    return started
  }

  /**
   * Takes over what is stored of a domain's accounts where that was observed later than what is known: another
   * connector has heard what this one missed, and has published it. Rejects when the store is gone.
   */
  async refresh(domain: string): Promise<void> {
    for (const presence of await this.#store.list(domain)) {
      const key = keyOf(domain, presence.login)
      const own = this.#known.get(key)
      if (own !== undefined && own.observedAt >= presence.observedAt) continue
      this.#takeUp(key, presence)
      this.#changed.delete(key)
      this.#refreshed.delete(key)
    }
  }

  /** Every account that is known now. What changes later changes in the tracker alone. */
  snapshot(): ReadonlyMap<string, Presence> {
    return new Map(this.#known)
  }

  /** When an account was last observed, epoch milliseconds; 0 where it never was. The domain must be loaded. */
  observedAt(domain: string, login: string): number {
    return this.#known.get(keyOf(domain, login))?.observedAt ?? 0
  }

  /** Whether an account is still exactly as it was in a snapshot. */
  isSame(presence: Presence): boolean {
    return this.#known.get(keyOf(presence.domain, presence.login)) === presence
  }

  /** A phone came or went. The domain must be loaded. */
  registered(
    domain: string,
    { login, contact, source, lastsSeconds, refused }: Registration,
    at: number,
  ): StateChange | undefined {
    return this.#apply(domain, login, at, ({ contacts }) => ({
      contacts: [
        ...contacts.filter(({ id }) => id !== contact && id !== source && contact !== '*').slice(1 - maxContacts),
        ...(lastsSeconds > 0
          ? [{ id: contact, expiresAt: at + lastsSeconds * 1_000, ...(refused === undefined ? {} : { refused }) }]
          : []),
      ],
    }))
  }

  /** A call of an account came up or ended. The domain must be loaded. */
  called({ domain, login }: AccountName, uuid: string, isUp: boolean, at: number): StateChange | undefined {
    if ((this.#known.get(keyOf(domain, login))?.calls.includes(uuid) ?? false) === isUp) return undefined
    return this.#apply(domain, login, at, ({ calls }) => ({
      calls: isUp ? [...calls, uuid] : calls.filter((call) => call !== uuid),
    }))
  }

  /** A stored call has ended long ago, or another connector published its end: its account has it no more, and no event is published. */
  drop({ domain, login }: AccountName, uuid: string): void {
    const key = keyOf(domain, login)
    const account = this.#known.get(key)
    if (account === undefined) return
    this.#known.set(key, { ...account, calls: account.calls.filter((call) => call !== uuid) })
    this.#note(key)
  }

  /**
   * Takes the accounts whose newest state is to be stored, each as it is now: those that changed at least `ageMs` ago, 0
   * where it is not given. A registration that a phone merely refreshed is stored when half of its stored life has passed,
   * or `lateMs` after that.
   */
  takeChanged(ageMs = 0, lateMs = 0): Presence[] {
    const now = this.#clock.now()
    for (const key of this.#refreshed) if (now >= (this.#refreshAt.get(key) ?? 0) + lateMs) this.#note(key)
    // One that changed in the future is old: the clock was set back.
    const isOld = (at: number) => at > now || now - at >= ageMs
    const taken = [...this.#changed].filter(([, at]) => isOld(at)).map(([key]) => key)
    return taken.flatMap((key) => {
      this.#changed.delete(key)
      const presence = this.#known.get(key)
      if (presence !== undefined) this.#refreshAt.set(key, halfLifeOf(presence))
      return presence ?? []
    })
  }

  /** Gives back what could not be stored; what has changed since stays as it is. */
  giveBack({ domain, login }: AccountName): void {
    this.#note(keyOf(domain, login))
  }

  /** Says that an account is stored as it was: without a phone and a call it is forgotten here, unless it has changed. */
  stored(presence: Presence): void {
    const key = keyOf(presence.domain, presence.login)
    if (this.#known.get(key) !== presence || !isIdle(presence)) return
    this.#known.delete(key)
    this.#refreshAt.delete(key)
  }

  /** Says that an account is stored as it was before a phone refreshed its registration, which is stored later. */
  storedBefore(presence: Presence, stored: Presence): void {
    const key = keyOf(presence.domain, presence.login)
    if (!this.#known.has(key)) return
    this.#refreshAt.set(key, halfLifeOf(stored))
    if (!this.#changed.has(key)) this.#refreshed.add(key)
  }

  async #read(domain: string): Promise<void> {
    try {
      const stored = await this.#store.list(domain)
      for (const presence of stored) {
        if (isIdle(presence)) continue
        this.#takeUp(keyOf(presence.domain, presence.login), presence)
        for (const uuid of presence.calls) this.#onStoredCall(presence, uuid)
      }
      this.#loads.set(domain, true)
    } catch (problem) {
      this.#loads.delete(domain)
      throw problem
    }
  }

  #takeUp(key: string, presence: Presence): void {
    this.#known.set(key, { ...presence, login: presence.login.toLowerCase() })
    this.#refreshAt.set(key, halfLifeOf(presence))
  }

  #note(key: string): void {
    if (!this.#changed.has(key)) this.#changed.set(key, this.#clock.now())
    this.#refreshed.delete(key)
  }

  #apply(
    domain: string,
    login: string,
    at: number,
    change: (account: Presence) => Partial<Presence>,
  ): StateChange | undefined {
    const key = keyOf(domain, login)
    const before = this.#known.get(key) ?? { domain, login, contacts: [], calls: [], observedAt: 0 }
    const observedAt = Math.max(at, before.observedAt)
    const live = before.contacts.filter((contact) => contact.expiresAt > observedAt)
    const after = { ...before, contacts: live, ...change({ ...before, contacts: live }), observedAt }
    this.#known.set(key, after)
    // One that is merely refreshed in the first half of its stored life can wait.
    const isEarly = !this.#changed.has(key) && observedAt < (this.#refreshAt.get(key) ?? 0)
    if (isEarly && isRefreshed(before, after)) this.#refreshed.add(key)
    else this.#note(key)
    const [was, is] = [stateOf(before), stateOf(after)]
    return was === is ? undefined : { domain, login, before: was, after: is, since: before.observedAt }
  }
}

/** Anybody who calls can name an account that there is not: of what is over nothing is kept. */
function isIdle({ contacts, calls }: Pick<Presence, 'contacts' | 'calls'>): boolean {
  return contacts.length === 0 && calls.length === 0
}

/** No phone that rings, a phone and no call, or a phone and a call. */
function stateOf({ contacts, calls }: Pick<Presence, 'contacts' | 'calls'>): AccountState {
  if (contacts.every(({ refused }) => refused !== undefined)) return 'NONREG'
  return calls.length > 0 ? 'ISBUSY' : 'ONHOOK'
}

/** Returns whether two states of an account have the same phones and calls. */
export function hasSameParts(one: Presence, other: Presence): boolean {
  const ids = ({ contacts, calls }: Presence) => [...contacts.map(({ id }) => `contact ${id}`), ...calls].toSorted()
  const [ofOne, ofOther] = [ids(one), ids(other)]
  return ofOne.length === ofOther.length && ofOne.every((id, index) => id === ofOther[index])
}

/**
 * Returns whether the second of two states has the phones and calls of the first, and none of its registrations ends
 * earlier.
 */
export function isRefreshed(before: Presence, after: Presence): boolean {
  const endOf = new Map(before.contacts.map(({ id, expiresAt }) => [id, expiresAt]))
  return hasSameParts(before, after) && after.contacts.every(({ id, expiresAt }) => expiresAt >= (endOf.get(id) ?? 0))
}

/**
 * Returns the time at which half of the remaining life of an account's earliest-ending registration has passed, epoch
 * milliseconds.
 */
export function halfLifeOf({ contacts, observedAt }: Presence): number {
  const endsAt = Math.min(...contacts.map(({ expiresAt }) => expiresAt))
  return contacts.length === 0 ? observedAt : observedAt + (endsAt - observedAt) / 2
}

function keyOf(domain: string, login: string): string {
  return `${login.toLowerCase()}@${domain}`
}
