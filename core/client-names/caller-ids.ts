import type { ValueRule } from './value-rules.ts'

/** The parameter of a domain with which root allows its gateways to show what phones send. */
export const trustedCallerIds = 'trusted-caller-ids'

/** The parameter of a domain in which root lists the only numbers that its gateways may show. */
export const ownNumbers = 'own-numbers'

/** Parameters of a domain that only root may set. */
export const parametersOfRoot: ReadonlySet<string> = new Set([trustedCallerIds, ownNumbers])

/** The numbers of {@link ownNumbers}. */
export const numberList: ValueRule = {
  words: 'numbers of 1-32 digits, which may begin with +, separated by commas',
  accepts: (value) => /^\+?[0-9]{1,32}(?:,\+?[0-9]{1,32})*$/.test(value),
}

interface WithParameters {
  readonly parameters: Readonly<Record<string, string>>
}

/** Returns whether gateways of a domain may show what phones send. */
export function trustsCallerIds({ parameters }: WithParameters): boolean {
  return parameters[trustedCallerIds] === 'true'
}

/** Returns the only numbers that gateways of a domain may show; empty: any. */
export function ownNumbersOf({ parameters }: WithParameters): readonly string[] {
  return parameters[ownNumbers]?.split(',') ?? []
}
