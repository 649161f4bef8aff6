import type { AccountRecord } from './model.ts'

/** Returns the numbers of an account; without any its login is its number. */
export function numbersOf(login: string, { parameters }: Pick<AccountRecord, 'parameters'>): string[] {
  const given = parameters['svc-extensions']
  return given === undefined ? [login] : [...new Set(given.split(','))]
}

/** Returns the account with only these numbers; with none its login is its number. */
export function withNumbers(account: AccountRecord, numbers: readonly string[]): AccountRecord {
  const { 'svc-extensions': _numbers, ...parameters } = account.parameters
  return {
    ...account,
    parameters: numbers.length === 0 ? parameters : { ...parameters, 'svc-extensions': numbers.join(',') },
  }
}
