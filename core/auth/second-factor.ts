import { untilDone } from '../concurrency/retry.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Account, SecondFactor } from '../accounts/account.ts'
import type { SecretBox } from '../secrets.ts'
import type { Caller } from '../access/token.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Clock, Randomness } from '../time.ts'
import { ownLogin } from '../access/permission.ts'
import { admitCode, forgetCodes } from './throttle-login.ts'
import type { OneTimeCodes } from './one-time-codes.ts'

/** The length of a secret in bytes: the output of SHA-1, as RFC 4226 recommends. */
const secretBytes = 20

/** The ports for managing users' own second factors. */
export interface SecondFactorPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'update'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly loginThrottle: Pick<LoginThrottle, 'begin' | 'clear'>
}

/** The owner of a second factor, and the inputs in addition to the ports. */
export interface SecondFactorContext {
  readonly caller: Caller
  readonly clock: Clock
  readonly random: Randomness
  readonly codes: OneTimeCodes
}

/**
 * Creates a secret for the caller's account and shows it once. Logins do not require a code before {@link
 * confirmSecondFactor}. Throws `bad_request` for a caller without an account, and `conflict` while a second factor is
 * on.
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

/**
 * Switches the caller's second factor on, once the caller can generate codes. Throws `conflict` when it is on or was
 * not begun.
 */
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
 * Replaces the second factor of an account, or removes it; other concurrent changes are kept. Throws `conflict` when
 * the factor itself or the account's credentials changed since `read` was read.
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

/** Compares the credentials of a user: a replacement must not undo a used code or a new password. */
function hasSameFactor(one: Account, other: Account): boolean {
  return (
    one.credentialsId === other.credentialsId &&
    one.secondFactor?.sealed === other.secondFactor?.sealed &&
    one.secondFactor?.isOn === other.secondFactor?.isOn &&
    one.secondFactor?.usedStep === other.secondFactor?.usedStep
  )
}

/** Returns the refusal of an account without a second factor. */
export function noSecondFactor(): DomainError {
  return new DomainError('not_found', 'there is no second factor')
}

/** Returns the purpose that an account's secret is sealed for: it opens for no other account. */
export function factorPurpose({ domain, login }: Pick<Account, 'domain' | 'login'>): string {
  return `totp:${domain}:${login.toLowerCase()}`
}

/** Returns the step of a right, unused code. A user has ten tries in a quarter of an hour, including right ones. */
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
