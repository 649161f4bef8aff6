import type { DirectoryUser, PhoneAddress } from '../directory/directory.ts'
import type { UserDirectory } from '../directory/user-directory.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { SeededRandom } from '../runtime/random.ts'
import type { EngineTimers } from '../runtime/timers.ts'
import { type Registration, registrationSeconds } from './registration.ts'
import { fireExpire, fireRegistration } from './registration-events.ts'

/** The reaction of a phone that is rung. */
export type PhoneBehaviour =
  | { readonly kind: 'answer'; readonly afterMs: number }
  | { readonly kind: 'refuse'; readonly status: string; readonly phrase: string; readonly cause: string }
  | { readonly kind: 'ring' }

/** The table of registrations is written late: 0.2 s after the phone's answer (`api/registrations-lag`). */
const tableLagMs = 200

/** A registration is kept so long after its phone should have renewed it. */
const graceMs = 60_000

/** The inputs of the phones. */
export interface PhonesOptions {
  readonly timers: EngineTimers
  readonly random: SeededRandom
  readonly events: EventBus
  readonly directory: Pick<UserDirectory, 'ask'>
  /** The one SIP profile of the engine, where every phone registers. */
  readonly profile: string
  /** The reaction of a phone; by default it answers after 200 ms. */
  readonly behaviour?: ((login: string, domain: string) => PhoneBehaviour) | undefined
}

/** The simulated phones and their registrations. */
export class Phones {
  readonly #options: PhonesOptions
  readonly #registered = new Map<string, Registration>()
  readonly #renewals = new Map<string, () => void>()
  readonly #domains = new Set<string>()
  /** The engine's own table: a flush empties only that of the profile, and these stay until they expire. */
  readonly #rows = new Map<string, Registration>()
  #table: readonly Registration[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(options: PhonesOptions) {
    this.#options = options
  }

  /**
   * Registers the phone of a user, or renews it; `false` when the directory does not know the user, or fails. A phone
   * chooses the address that it registers under: the engine does not compare it with the user (sofia_reg.c).
   * `parameters` are those of its contact, such as `;line=1`; the engine notes that it keeps the source of the REGISTER
   * (`sip-force-contact`), as the directory wants.
   */
  register(login: string, domain: string, to?: PhoneAddress, parameters?: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const user = await this.#ask(login, domain, to)
      if (typeof user === 'string') return false
      this.#put(user, to, parameters === undefined ? undefined : `${parameters};fs_nat=yes`)
      return true
    })
  }

  /** Withdraws a registration as the phone itself does; returns `false` if there is none. */
  unregister(login: string, domain: string): boolean {
    const registration = this.#forget(login, domain)
    this.#rows.delete(keyOf(login, domain))
    if (registration !== undefined) fireRegistration(this.#options.events, registration, 'unregister')
    return registration !== undefined
  }

  /** Ends the registration of a phone, or with an empty login those of a whole domain, from the engine's side. */
  flush(login: string, domain: string): void {
    const ended = login === '' ? this.#phonesOf(domain) : [login]
    for (const user of ended) {
      const registration = this.#forget(user, domain)
      if (registration !== undefined) fireExpire(this.#options.events, registration)
    }
  }

  /** Brings a phone in line with the directory: registers it when its user exists, unregisters it when not. */
  follow(login: string, domain: string): Promise<void> {
    return this.#inTurn(async () => {
      const user = await this.#ask(login, domain)
      if (user === 'unknown') this.unregister(login, domain)
      else if (user !== 'failed' && this.find(user.login, user.domain) === undefined) this.#put(user)
    })
  }

  get profile(): string {
    return this.#options.profile
  }

  find(login: string, domain: string): Registration | undefined {
    return this.#registered.get(keyOf(login, domain))
  }

  behaviourOf({ login, domain }: Registration): PhoneBehaviour {
    return this.#options.behaviour?.(login, domain) ?? { kind: 'answer', afterMs: 200 }
  }

  /** Whether the directory ever answered for this domain: then its dialplan context exists too. */
  knows(domain: string): boolean {
    return this.#domains.has(domain.toLowerCase())
  }

  noteDomain(domain: string): void {
    this.#domains.add(domain.toLowerCase())
  }

  table(): readonly Registration[] {
    const now = this.#options.timers.now()
    return this.#table.filter(({ expiresAt }) => expiresAt + graceMs > now)
  }

  /** The registrations as the SIP profile knows them. */
  registrations(): readonly Registration[] {
    return this.#table.filter(({ login, domain }) => this.find(login, domain) !== undefined)
  }

  close(): void {
    this.#closed = true
    for (const cancel of this.#renewals.values()) cancel()
    this.#renewals.clear()
  }

  #ask(login: string, domain: string, to?: PhoneAddress): Promise<DirectoryUser | 'unknown' | 'failed'> {
    return this.#options.directory.ask({ user: login, domain, action: 'sip_auth', ...(to === undefined ? {} : { to }) })
  }

  /**
   * The engine looks registrations up one after another (`timing/measurements`), so that of two orders about one user
   * the later one has the last word.
   */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #put(user: DirectoryUser, { login, domain }: PhoneAddress = user, parameters?: string): void {
    const { random, timers, events, profile } = this.#options
    const key = keyOf(login, domain)
    const known = this.#registered.get(key)
    const registration: Registration = {
      login,
      domain,
      user,
      profile,
      displayName: user.variables.get('effective_caller_id_name') ?? '',
      userAgent: 'Simulated phone 1.0',
      port: known?.port ?? random.integer(32_768, 60_999),
      parameters: parameters ?? known?.parameters ?? '',
      callId: known?.callId ?? random.hex(16),
      expiresAt: timers.now() + registrationSeconds * 1000,
    }
    this.noteDomain(user.domain)
    this.#registered.set(key, registration)
    this.#rows.set(key, registration)
    this.#scheduleRenewal(registration)
    fireRegistration(events, registration, known === undefined ? 'register' : 'reregister')
    this.#tableChanged()
  }

  /** A phone that cannot renew now tries again after as long. */
  #scheduleRenewal({ login, domain }: Registration): void {
    const key = keyOf(login, domain)
    this.#renewals.get(key)?.()
    if (this.#closed) return
    const renew = () =>
      void this.#inTurn(async () => {
        const registration = this.#registered.get(key)
        if (registration === undefined) return
        const to = { login, domain }
        const user = await this.#ask(registration.user.login, registration.user.domain, to)
        if (user === 'unknown') this.unregister(login, domain)
        else if (user === 'failed') this.#scheduleRenewal(registration)
        else this.#put(user, to)
      })
    this.#renewals.set(key, this.#options.timers.after((registrationSeconds * 1000) / 2, renew))
  }

  #phonesOf(domain: string): string[] {
    const all = [...this.#registered.values()].filter(
      (registration) => keyOf('', registration.domain) === keyOf('', domain),
    )
    return all.map(({ login }) => login)
  }

  #forget(login: string, domain: string): Registration | undefined {
    const key = keyOf(login, domain)
    const registration = this.#registered.get(key)
    if (registration === undefined) return undefined
    this.#registered.delete(key)
    this.#renewals.get(key)?.()
    this.#renewals.delete(key)
    this.#tableChanged()
    return registration
  }

  #tableChanged(): void {
    this.#options.timers.after(tableLagMs, () => {
      this.#table = [...this.#rows.values()]
    })
  }
}

/** Logins are compared without regard to case, like those of accounts. */
function keyOf(login: string, domain: string): string {
  return `${login.toLowerCase()}@${domain.toLowerCase()}`
}
