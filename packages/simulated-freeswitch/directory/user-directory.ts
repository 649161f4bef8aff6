import type { EngineTimers } from '../runtime/timers.ts'
import type { XmlLookup } from '../lookups/xml-lookup.ts'
import { type DirectoryQuestion, type DirectoryUser, askDirectory } from './directory.ts'

interface Entry {
  readonly user: DirectoryUser
  /** Epoch microseconds; absent: until it is flushed. */
  readonly expiresAt?: number | undefined
}

/**
 * The users of the engine: looked up in the directory, and remembered as the real engine remembers them
 * (`switch_xml_locate_user_merged` in switch_xml.c). Its cache joins login and domain without a separator, so that two
 * users can share an entry, and takes them as they were asked for, in any spelling.
 */
export class UserDirectory {
  readonly #lookup: XmlLookup
  readonly #timers: Pick<EngineTimers, 'now'>
  readonly #entries = new Map<string, Entry>()

  constructor(lookup: XmlLookup, timers: Pick<EngineTimers, 'now'>) {
    this.#lookup = lookup
    this.#timers = timers
  }

  /** Finds a user, and distinguishes a directory that does not know it from one that failed. */
  async ask(question: DirectoryQuestion): Promise<DirectoryUser | 'unknown' | 'failed'> {
    const key = keyOf(question.user, question.domain)
    const known = this.#entries.get(key)
    if (known !== undefined && !this.#isExpired(known)) return known.user
    try {
      const answer = await askDirectory(this.#lookup, question)
      if (answer === undefined) return 'unknown'
      const { user, cacheable } = answer
      if (cacheable !== '') this.#entries.set(key, { user, expiresAt: this.#expiryOf(cacheable) })
      return user
    } catch {
      return 'failed'
    }
  }

  /**
   * Finds a user for a call; nothing when the directory does not know it, and when it fails in any way: to the engine
   * an unreachable directory and an unknown user are the same (`xml-curl/register-500` and its siblings).
   */
  async find(question: DirectoryQuestion): Promise<DirectoryUser | undefined> {
    const answer = await this.ask(question)
    return typeof answer === 'string' ? undefined : answer
  }

  flush(user?: { readonly login: string; readonly domain: string }): number {
    if (user !== undefined) return this.#entries.delete(keyOf(user.login, user.domain)) ? 1 : 0
    const count = this.#entries.size
    this.#entries.clear()
    return count
  }

  #isExpired({ expiresAt }: Entry): boolean {
    return expiresAt !== undefined && expiresAt < this.#timers.now() * 1000
  }

  /** The engine multiplies milliseconds by 1 000 in 32 bits; what is no number lasts until it is flushed. */
  #expiryOf(cacheable: string): number | undefined {
    if (!/^[+-]?[0-9.]*$/.test(cacheable)) return undefined
    return this.#timers.now() * 1000 + Math.imul(Number.parseInt(cacheable, 10), 1000)
  }
}

function keyOf(login: string, domain: string): string {
  return `id${login}${domain}`
}
