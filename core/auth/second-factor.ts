import { untilDone } from '../concurrency/until-done.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Account, SecondFactor } from '../accounts/account.ts'
import type { SecretBox } from './secrets.ts'
import type { Caller } from './token.ts'
import type { Clock, PortsOf, Randomness } from '../ports.ts'
import { ownLogin } from '../access/own.ts'
import { admitCode, forgetCodes } from './login-throttle.ts'
import type { OneTimeCodes } from './one-time-codes.ts'

/** Bytes of a secret: as many as SHA-1 gives, which RFC 4226 recommends. */
const secretBytes = 20

/** What users' own second factors are managed with. */
export type SecondFactorPorts = PortsOf<{
  readonly accounts: readonly ['read', 'update']
  readonly secretBox: readonly ['open']
  readonly loginThrottle: readonly ['begin', 'clear']
}>

/** Whose second factor it is, and what it is worked with besides the ports. */
export interface SecondFactorContext {
  readonly caller: Caller
  readonly clock: Clock
  readonly random: Randomness
  readonly codes: OneTimeCodes
}

/**
 * Makes a new secret for the caller's account and shows it, once. Logins do not ask for a code before
 * {@link confirmSecondFactor}. Throws `bad_request` for a caller without an account, and `conflict` while a second
 * factor is on.
 */
export async function beginSecondFactor(
  ports: Pick<SecondFactorPorts, 'accounts'> & { readonly secretBox: Pick<SecretBox, 'seal'> },
  { caller, random, codes }: SecondFactorContext,
): Promise<{ secret: string; uri: string }> {
  const account = await ownAccount(ports.accounts, caller)
  if (account.secondFactor?.isOn === true) {
    throw new DomainError('conflict', 'the second factor is on: switch it off first')
  }
  const secret = random.bytes(secretBytes)
  const sealed = await ports.secretBox.seal(secret, factorPurpose(account))
  await replaceFactor(ports.accounts, account, { sealed, isOn: false, usedStep: 0 })
  return codes.show(secret, caller.username)
}

/** Switches the caller's second factor on, when he can make codes. Throws `conflict` when it is on or was not begun. */
export async function confirmSecondFactor(
  ports: SecondFactorPorts,
  code: string,
  context: SecondFactorContext,
): Promise<void> {
  const account = await ownAccount(ports.accounts, context.caller)
  const { secondFactor } = account
  if (secondFactor === undefined || secondFactor.isOn) {
    throw new DomainError(
      'conflict',
      secondFactor === undefined ? 'begin with a new secret' : 'the second factor is on',
    )
  }
  const usedStep = await provenStep(ports, account, code, context)
  await replaceFactor(ports.accounts, account, { ...secondFactor, isOn: true, usedStep })
}

/** Switches the caller's second factor off, or drops one that was only begun. Throws `not_found` when there is none. */
export async function endSecondFactor(
  ports: SecondFactorPorts,
  code: string,
  context: SecondFactorContext,
): Promise<void> {
  const account = await ownAccount(ports.accounts, context.caller)
  if (account.secondFactor === undefined) throw noSecondFactor()
  await provenStep(ports, account, code, context)
  await replaceFactor(ports.accounts, account, undefined)
}

/**
 * Replaces the second factor of an account, or removes it; other changes made at the same time are kept. Throws
 * `conflict` when the factor itself or the account's credentials changed since `read` was read.
 */
export async function replaceFactor(
  accounts: Pick<AccountStore, 'read' | 'update'>,
  read: Account,
  secondFactor: SecondFactor | undefined,
): Promise<void> {
  let previous: Account | undefined = read
  await untilDone(async () => {
    if (previous === undefined || !hasSameFactor(previous, read)) {
      throw new DomainError('conflict', 'the second factor was changed at the same time: read it again and retry')
    }
    const { secondFactor: _dropped, ...rest } = previous
    const account = { ...rest, ...(secondFactor && { secondFactor }), version: previous.version + 1 }
    if ((await accounts.update(account, previous)) === 'updated') return true
    previous = await accounts.read(read.domain, read.login)
    return undefined
  })
}

/** Compares what proves a user: a code that was used meanwhile, or a new password, must not be undone by a replacement. */
function hasSameFactor(one: Account, other: Account): boolean {
  return (
    one.credentialsId === other.credentialsId &&
    one.secondFactor?.sealed === other.secondFactor?.sealed &&
    one.secondFactor?.isOn === other.secondFactor?.isOn &&
    one.secondFactor?.usedStep === other.secondFactor?.usedStep
  )
}

/** The refusal of an account that has no second factor. */
export function noSecondFactor(): DomainError {
  return new DomainError('not_found', 'there is no second factor')
}

/** What an account's secret is sealed for: it opens for no other account. */
export function factorPurpose({ domain, login }: Pick<Account, 'domain' | 'login'>): string {
  return `totp:${domain}:${login.toLowerCase()}`
}

/** The step of a right code that was not used yet. A user has ten tries in a quarter of an hour, right ones included. */
async function provenStep(
  { secretBox, loginThrottle }: SecondFactorPorts,
  account: Account,
  code: string,
  { caller, clock, codes }: SecondFactorContext,
): Promise<number> {
  const now = clock.now()
  await admitCode(loginThrottle, caller.username, now)
  const { sealed = '', usedStep = 0 } = account.secondFactor ?? {}
  const step = codes.stepOf(await secretBox.open(sealed, factorPurpose(account)), code, now)
  if (step === undefined || step <= usedStep) throw invalidField('code', 'is wrong or was used already')
  await forgetCodes(loginThrottle, caller.username)
  return step
}

async function ownAccount(accounts: Pick<AccountStore, 'read'>, caller: Caller): Promise<Account> {
  const login = ownLogin(caller)
  const account = login === undefined ? undefined : await accounts.read(caller.domain ?? '', login)
  if (account === undefined) throw new DomainError('bad_request', 'only an account can have a second factor')
  return account
}
