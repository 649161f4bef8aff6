/**
 * The second factors of test accounts: every account's device holds a secret of its own, which follows from its name.
 */
import { createHash } from 'node:crypto'
import { oneTimeCodes } from '../../../adapters/otp/one-time-codes.ts'
import { factorPurpose } from '../../../core/auth/second-factor.ts'
import type { Account, SecondFactor } from '../../../core/accounts/account.ts'
import type { Api } from '../platform/api.ts'
import { codeAt } from './totp.ts'

type Who = Pick<Account, 'domain' | 'login'>

const secretOf = ({ domain, login }: Who) => createHash('sha1').update(`device of ${login}@${domain}`).digest()

/** A second factor with the secret of an account's device: on, or only begun. */
export async function aSecondFactor({ ports }: Api, who: Who, isOn: boolean): Promise<SecondFactor> {
  return { sealed: await ports.secretBox.seal(secretOf(who), factorPurpose(who)), isOn, usedStep: 0 }
}

/** Gives an account that is there a second factor with the secret of its device. */
export async function giveSecondFactor(api: Api, { domain, login }: Who, isOn: boolean): Promise<void> {
  const account = await api.ports.accounts.read(domain, login)
  if (account === undefined) throw new Error(`the tenant ${domain} has no ${login}`)
  const secondFactor = await aSecondFactor(api, account, isOn)
  await api.ports.accounts.update({ ...account, secondFactor, version: account.version + 1 }, account)
}

/** The code that an account's device shows now. */
export function codeOf({ clock }: Pick<Api, 'clock'>, who: Who): string {
  return codeAt(oneTimeCodes.show(secretOf(who), who.login).secret, clock.now())
}
