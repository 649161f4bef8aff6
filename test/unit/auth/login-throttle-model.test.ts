import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { CodeMissing, type LoginUser } from '../../../core/auth/login-throttle.ts'
import { throttleLogin } from '../../../core/auth/throttle-login.ts'
import { DomainError } from '../../../core/errors.ts'
import { fixed } from '../../support/records/hostile-text.ts'
import { type MovableClock, movableClock } from '../../support/processes/movable-clock.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** The result of a judged attempt. */
type Outcome = 'right' | 'wrong' | 'unknown user' | 'no code' | 'outage'

/** Attempts one after the other, and the time that passes before them. */
interface Burst {
  readonly waitMs: number
  readonly user: number
  readonly network: number
  /** Whether each attempt comes from the next network, or names the next user. */
  readonly spread: 'networks' | 'users' | 'none'
  readonly count: number
  readonly outcome: Outcome
  readonly hasNewSecret: boolean
}

const root: LoginUser = { domain: '', login: 'root' }
const users = [root, ...Array.from({ length: 99 }, (_, index) => ({ domain: 'a.example.com', login: `user${index}` }))]

const bursts = fc.array(
  fc.record<Burst>({
    waitMs: fc.constantFrom(
      0,
      0,
      0,
      0,
      minuteMs,
      15 * minuteMs - 1,
      15 * minuteMs,
      10 * dayMs,
      30 * dayMs - 1,
      30 * dayMs,
    ),
    user: fc.nat({ max: 1 }),
    network: fc.nat({ max: 1 }),
    spread: fc.constantFrom('networks', 'users', 'none'),
    count: fc.constantFrom(1, 1, 9, 10, 25, 60, 120),
    outcome: fc.constantFrom<Outcome>('right', 'right', 'wrong', 'wrong', 'wrong', 'unknown user', 'no code', 'outage'),
    hasNewSecret: fc.constantFrom(false, false, false, false, false, true),
  }),
  { minLength: 1, maxLength: 30 },
)

const limits = { own: 10, network: 50, user: 100 } as const

/**
 * The verdict of the rule, by the limit that refused; `spared`: a limit was reached that does not apply to a known
 * network.
 */
type Tally = Record<'own' | 'network' | 'user' | 'spared' | 'judged', number>

/** The contract's rule, word by word, over a list of all that has happened. */
class Rule {
  readonly #failures: { at: number; user: string; network: number; countsFor: ReadonlySet<string> }[] = []
  readonly #logins: { at: number; user: LoginUser; network: number }[] = []

  /** Which limit refuses an attempt, and for how many seconds: 0 when it is judged. */
  verdict(user: LoginUser, counted: string, network: number, now: number) {
    const isKnown = this.#isKnown(user, network, now)
    const reached = (['own', 'network', 'user'] as const).filter(
      (kind) => this.#counted(kind, counted, network, now).length >= limits[kind],
    )
    const [by] = isKnown ? reached.filter((kind) => kind === 'own') : reached
    if (by === undefined) return { by: reached.length > 0 ? 'spared' : 'judged', seconds: 0 } as const
    const oldest = Math.min(...this.#counted(by, counted, network, now).map(({ at }) => at))
    return { by, seconds: Math.max(1, Math.ceil((oldest + 15 * minuteMs - now) / 1000)) } as const
  }

  failed(counted: string, network: number, now: number): void {
    const kinds = (['own', 'network', 'user'] as const).filter(
      (kind) => this.#counted(kind, counted, network, now).length < limits[kind],
    )
    this.#failures.push({ at: now, user: counted, network, countsFor: new Set(kinds) })
  }

  succeeded(user: LoginUser, counted: string, network: number, now: number): void {
    for (const failure of this.#failures.filter((each) => each.user === counted && each.network === network)) {
      failure.countsFor = new Set([...failure.countsFor].filter((kind) => kind !== 'own'))
    }
    this.#logins.push({ at: now, user, network })
  }

  #counted(kind: 'own' | 'network' | 'user', user: string, network: number, now: number) {
    return this.#failures.filter(
      (failure) =>
        failure.countsFor.has(kind) &&
        failure.at >= now - 15 * minuteMs &&
        (kind === 'network' || failure.user === user) &&
        (kind === 'user' || failure.network === network),
    )
  }

  #isKnown(user: LoginUser, network: number, now: number): boolean {
    const newestFirst = this.#logins.filter((each) => each.user === user).toReversed()
    const kept = [...new Set(newestFirst.map((each) => each.network))].slice(0, 20)
    const last = newestFirst.find((each) => each.network === network)
    return kept.includes(network) && last !== undefined && last.at >= now - 30 * dayMs
  }
}

const errors = {
  wrong: new DomainError('invalid_credentials', 'wrong'),
  'unknown user': new DomainError('not_found', 'unknown'),
  'no code': new CodeMissing(),
  outage: new DomainError('store_unavailable', 'away'),
}

/** Makes one attempt, and returns how many seconds it is refused for, 0 when it was judged. */
async function attempt(
  throttle: ReturnType<typeof memoryPorts>['loginThrottle'],
  given: { user: LoginUser; rootVersion: string | undefined; network: number; now: number },
  outcome: Outcome,
): Promise<number> {
  let isJudged = false
  const sourceAddress = `10.0.${given.network}.${1 + (given.now % 200)}`
  const judged = async () => {
    isJudged = true
    if (outcome !== 'right') throw errors[outcome]
  }
  try {
    await throttleLogin(throttle, { ...given, sourceAddress }, judged)
  } catch (error) {
    if (isJudged) expect(error).toBe(outcome === 'right' ? undefined : errors[outcome])
    else {
      expect(error).toMatchObject({ code: 'locked_out' })
      return (error instanceof DomainError ? error.retryAfterSeconds : undefined) ?? Number.NaN
    }
  }
  return 0
}

/** Runs bursts against throttle and rule alike, and adds up what the rule came to. */
async function play(all: readonly Burst[], clock: MovableClock, tally: Tally): Promise<void> {
  const { loginThrottle } = memoryPorts({ clock, random: systemRandomness })
  const rule = new Rule()
  let secret = 1
  for (const burst of all) {
    clock.move(burst.waitMs)
    if (burst.hasNewSecret) secret += 1
    for (let index = 0; index < burst.count; index += 1) {
      clock.move(1)
      const user = users[burst.user + (burst.spread === 'users' ? index : 0)] ?? root
      const isRoot = user === root
      const counted = isRoot ? `root ${secret}` : user.login
      const network = burst.network + (burst.spread === 'networks' ? index : 0)
      const now = clock.now()
      const expected = rule.verdict(user, counted, network, now)
      tally[expected.by] += 1

      const rootVersion = isRoot ? String(secret) : undefined
      expect(await attempt(loginThrottle, { user, rootVersion, network, now }, burst.outcome)).toBe(expected.seconds)

      if (expected.seconds > 0 || burst.outcome === 'outage' || burst.outcome === 'no code') continue
      if (burst.outcome === 'right') rule.succeeded(user, counted, network, now)
      else rule.failed(counted, network, now)
    }
  }
}

it('any sequence of logins is judged and refused as the rule of the contract says', async () => {
  const tally: Tally = { own: 0, network: 0, user: 0, spared: 0, judged: 0 }

  await fc.assert(
    fc.asyncProperty(bursts, (all) => play(all, movableClock(), tally)),
    fixed(300),
  )

  for (const [name, count] of Object.entries(tally)) expect(count, name).toBeGreaterThan(50)
})
