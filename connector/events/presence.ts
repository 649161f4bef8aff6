import type { KnownCall } from '../../core/channels/known-call.ts'
import type { Presence, PresenceStore } from '../../core/accounts/presence.ts'
import type { Clock } from '../../core/time.ts'
import { accountOf } from './account-status.ts'
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

/** A call of an account, and the name of its engine. */
export interface AccountCall {
  readonly uuid: string
  readonly engine: string
}

export interface PresenceTrackerDeps {
  readonly store: Pick<PresenceStore, 'list'>
  /** The stored legs of a domain that may be up. */
  readonly callsOf: (domain: string) => Promise<readonly KnownCall[]>
  readonly clock: Clock
  readonly random: () => number
}

/** Phones of an account that are kept: one that registers from ever new addresses must not outgrow a stored item. */
const maxContacts = 50

/**
 * A refreshed registration is stored up to this part of its remaining life after half of it has passed. So one of
 * several connectors stores it, and the others find it stored.
 */
const spread = 0.1

/**
 * The phones and calls of every account that the engine reported. Only phones are stored here; calls are stored as
 * legs.
 */
export class PresenceTracker {
  readonly #deps: PresenceTrackerDeps
  /** The tracked phones of accounts; each record is replaced, never changed in place. */
  readonly #known = new Map<string, Presence>()
  /** The calls of accounts that are up, by account and uuid, each with the name of its engine. */
  readonly #calls = new Map<string, Map<string, string>>()
  readonly #loads = new Map<string, true | Promise<void>>()
  /** Accounts whose phones have changed and are not stored yet. */
  readonly #changed = new Set<string>()
  /** When the registrations of accounts are to be stored again, epoch milliseconds. */
  readonly #refreshAt = new Map<string, number>()
  readonly #refreshed = new Set<string>()

  constructor(deps: PresenceTrackerDeps) {
    this.#deps = deps
  }

  get accounts(): number {
    return new Set([...this.#known.keys(), ...this.#calls.keys()]).size
  }

  get isWaiting(): boolean {
    return this.#changed.size + this.#refreshed.size > 0
  }

  /** Makes sure that the stored phones and calls of a domain's accounts are known. Rejects when a store is gone. */
  load(domain: string): void | Promise<void> {
    const loading = this.#loads.get(domain)
    if (loading === true) return
    const started = loading ?? this.#read(domain)
    if (loading === undefined) this.#loads.set(domain, started)
    return started
  }

  /**
   * Takes over what is stored of a domain's phones where that was observed later than what is known: another
   * connector has heard what this one missed, and has published it. Rejects when the store is gone.
   */
  async refresh(domain: string): Promise<void> {
    for (const presence of await this.#deps.store.list(domain)) {
      const key = keyOf(presence)
      const own = this.#known.get(key)
      if (own !== undefined && own.observedAt >= presence.observedAt) continue
      this.#takeUp(key, presence)
      this.#changed.delete(key)
      this.#refreshed.delete(key)
    }
  }

  /** Every account with phones that is known now. What changes later changes in the tracker alone. */
  snapshot(): ReadonlyMap<string, Presence> {
    return new Map(this.#known)
  }

  /**
   * When the phones of an account were last observed, epoch milliseconds; 0 where they never were. The domain must be
   * loaded.
   */
  observedAt(account: AccountName): number {
    return this.#known.get(keyOf(account))?.observedAt ?? 0
  }

  /** Whether an account's phones are still exactly as they were in a snapshot. */
  isSame(presence: Presence): boolean {
    return this.#known.get(keyOf(presence)) === presence
  }

  /** The uuids of the calls of an account that are up. */
  callsOf(account: AccountName): string[] {
    return [...(this.#calls.get(keyOf(account))?.keys() ?? [])]
  }

  /** A phone came or went. The domain must be loaded. */
  registered(
    domain: string,
    { login, contact, source, lastsSeconds, refused }: Registration,
    at: number,
  ): StateChange | undefined {
    const account = { domain, login }
    const { contacts } = this.#phonesOf(account, at)
    const kept = contacts.filter(({ id }) => id !== contact && id !== source && contact !== '*').slice(1 - maxContacts)
    const added = { id: contact, expiresAt: at + lastsSeconds * 1_000, ...(refused === undefined ? {} : { refused }) }
    const phones = lastsSeconds > 0 ? [...kept, added] : kept
    return this.#change(account, () => this.#setPhones(account, phones, at))
  }

  /** A call of an account came up or ended. The domain must be loaded. */
  called(account: AccountName, { uuid, engine }: AccountCall, isUp: boolean, at: number): StateChange | undefined {
    const key = keyOf(account)
    const calls = this.#calls.get(key) ?? new Map<string, string>()
    if (calls.has(uuid) === isUp) return undefined
    return this.#change(account, () => {
      if (isUp) this.#calls.set(key, calls.set(uuid, engine))
      else if (calls.delete(uuid) && calls.size === 0) this.#calls.delete(key)
      const { contacts } = this.#phonesOf(account, at)
      if (contacts.length !== (this.#known.get(key)?.contacts.length ?? 0)) this.#setPhones(account, contacts, at)
    })
  }

  /**
   * All live channels of an engine are known: a call of it that is not among them was stored and has ended, and another
   * connector has published its end. No event is published.
   */
  confirmed(engine: string, isUp: (uuid: string) => boolean): void {
    for (const [key, calls] of this.#calls) {
      for (const [uuid, of] of calls) if (of === engine && !isUp(uuid)) calls.delete(uuid)
      if (calls.size === 0) this.#calls.delete(key)
    }
  }

  /** Takes the accounts whose phones have changed, each as it is now. */
  takeChanged(): Presence[] {
    return this.#take(this.#changed)
  }

  /** Takes the accounts whose refreshed registrations are due to be stored, each as it is now. */
  takeRefreshed(): Presence[] {
    const now = this.#deps.clock.now()
    return this.#take(this.#refreshed, (key) => now >= (this.#refreshAt.get(key) ?? 0))
  }

  /** Gives back what could not be stored; what has changed since stays as it is. */
  giveBack(account: AccountName): void {
    this.#note(keyOf(account))
  }

  /** Says that an account is stored as it was: without a phone it is forgotten here, unless it has changed. */
  stored(presence: Presence): void {
    const key = keyOf(presence)
    if (this.#known.get(key) !== presence || presence.contacts.length > 0) return
    this.#known.delete(key)
    this.#refreshAt.delete(key)
  }

  /**
   * Says that another connector has stored a registration of an account that was refreshed: the next is stored later.
   */
  storedBefore(account: Presence, stored: Presence): void {
    const key = keyOf(account)
    if (!this.#known.has(key)) return
    this.#refreshAt.set(key, this.#dueAt(stored))
    if (account.observedAt > stored.observedAt && !this.#changed.has(key)) this.#refreshed.add(key)
  }

  #take(from: Set<string>, isDue: (key: string) => boolean = () => true): Presence[] {
    return [...from].filter(isDue).flatMap((key) => {
      from.delete(key)
      const presence = this.#known.get(key)
      if (presence !== undefined) this.#refreshAt.set(key, this.#dueAt(presence))
      return presence ?? []
    })
  }

  async #read(domain: string): Promise<void> {
    try {
      const [phones, calls] = await Promise.all([this.#deps.store.list(domain), this.#deps.callsOf(domain)])
      for (const presence of phones) if (presence.contacts.length > 0) this.#takeUp(keyOf(presence), presence)
      for (const call of calls) {
        const account = accountOf(call, domain)
        if (account === undefined) continue
        const key = keyOf(account)
        this.#calls.set(key, (this.#calls.get(key) ?? new Map<string, string>()).set(call.uuid, call.engine))
      }
      this.#loads.set(domain, true)
    } catch (problem) {
      this.#loads.delete(domain)
      throw problem
    }
  }

  #takeUp(key: string, presence: Presence): void {
    this.#known.set(key, { ...presence, login: presence.login.toLowerCase() })
    this.#refreshAt.set(key, this.#dueAt(presence))
  }

  #dueAt(presence: Presence): number {
    return dueAt(presence, 0.5 + spread * this.#deps.random())
  }

  #note(key: string): void {
    this.#changed.add(key)
    this.#refreshed.delete(key)
  }

  /**
   * The phones of an account whose registrations have not ended at a moment, or at a later one at which they were
   * observed.
   */
  #phonesOf(account: AccountName, at: number): Presence {
    const known = this.#known.get(keyOf(account)) ?? { ...account, contacts: [], observedAt: 0 }
    const observedAt = Math.max(at, known.observedAt)
    return { ...known, contacts: known.contacts.filter(({ expiresAt }) => expiresAt > observedAt), observedAt }
  }

  #setPhones(account: AccountName, contacts: Presence['contacts'], at: number): void {
    const key = keyOf(account)
    const { observedAt } = this.#phonesOf(account, at)
    const before = this.#known.get(key) ?? { ...account, contacts: [], observedAt: 0 }
    const after = { ...before, contacts, observedAt }
    const isEarly = !this.#changed.has(key) && after.observedAt < (this.#refreshAt.get(key) ?? 0)
    this.#known.set(key, after)
    // One that is merely refreshed in the first half of its stored life can wait.
    if (isEarly && isRefreshed(before, after)) this.#refreshed.add(key)
    else this.#note(key)
  }

  #change(account: AccountName, apply: () => void): StateChange | undefined {
    const since = this.observedAt(account)
    const before = this.#stateOf(account)
    apply()
    const after = this.#stateOf(account)
    return before === after ? undefined : { ...account, before, after, since }
  }

  /** No phone that rings, a phone and no call, or a phone and a call. */
  #stateOf(account: AccountName): AccountState {
    const key = keyOf(account)
    const { contacts = [] } = this.#known.get(key) ?? {}
    if (contacts.every(({ refused }) => refused !== undefined)) return 'NONREG'
    return this.#calls.has(key) ? 'ISBUSY' : 'ONHOOK'
  }
}

/**
 * Returns whether the second of two records of an account has the phones of the first, and none of its registrations
 * ends earlier.
 */
export function isRefreshed(before: Presence, after: Presence): boolean {
  const endOf = new Map(before.contacts.map(({ id, expiresAt }) => [id, expiresAt]))
  const hasSamePhones = endOf.size === after.contacts.length && after.contacts.every(({ id }) => endOf.has(id))
  return hasSamePhones && after.contacts.every(({ id, expiresAt }) => expiresAt >= (endOf.get(id) ?? 0))
}

/**
 * Returns the time at which a part of the remaining life of an account's earliest-ending registration has passed, epoch
 * milliseconds.
 */
export function dueAt({ contacts, observedAt }: Presence, part: number): number {
  const endsAt = Math.min(...contacts.map(({ expiresAt }) => expiresAt))
  return contacts.length === 0 ? observedAt : observedAt + (endsAt - observedAt) * part
}

function keyOf({ domain, login }: AccountName): string {
  return `${login.toLowerCase()}@${domain}`
}
