import type { ValueRule } from './value-rules.ts'

/** The parameter of a domain with which root allows its gateways to show what phones send. */
export const trustedCallerIds = 'trusted-caller-ids'

/** The parameter of a domain in which root lists the only numbers that its gateways may show. */
export const ownNumbers = 'own-numbers'

/** The parameter of a domain with which root keeps the right to erase a party for itself; its value is `root`. */
export const erasureParameter = 'erasure'

/** Parameters of a domain that only root may set. */
export const parametersOfRoot: ReadonlySet<string> = new Set([trustedCallerIds, ownNumbers, erasureParameter])

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

/** The parameter of a domain that sets for how many days its recordings are kept. */
export const retentionParameter = 'recording-retention-days'

/** By the contract. */
export const retentionDays = { least: 1, usual: 365, most: 3_650 } as const

const dayMs = 86_400_000

/** Returns whether a text is a number of days that recordings can be kept for. */
export function isRetention(text: string): boolean {
  const days = Number(text)
  return /^[1-9]\d{0,3}$/.test(text) && days >= retentionDays.least && days <= retentionDays.most
}

/** For how many days after they began a domain's recordings are kept. */
export function retentionDaysOf({ parameters }: WithParameters): number {
  const text = Object.hasOwn(parameters, retentionParameter) ? (parameters[retentionParameter] ?? '') : ''
  return isRetention(text) ? Number(text) : retentionDays.usual
}

/** Returns the retention of a number of days in milliseconds. */
export function retentionMs(days: number): number {
  return days * dayMs
}

/** The parameter of a domain that sets for how many days its CDRs are kept, and its values. */
export const cdrRetentionParameter = 'cdr-retention-days'

/** By the contract; also of the setting `cdrDays`, which holds where a domain has no such parameter. */
export const cdrRetentionDays = { least: 30, usual: 400, most: 3_650 } as const

/** Returns whether a text is a number of days that CDRs can be kept for. */
export function isCdrRetention(text: string): boolean {
  const days = Number(text)
  return /^[1-9]\d{1,3}$/.test(text) && days >= cdrRetentionDays.least && days <= cdrRetentionDays.most
}

/** Returns for how many days a domain's CDRs are kept; `undefined`: for as long as the deployment says. */
export function cdrRetentionDaysOf({ parameters }: WithParameters): number | undefined {
  const text = Object.hasOwn(parameters, cdrRetentionParameter) ? (parameters[cdrRetentionParameter] ?? '') : ''
  return isCdrRetention(text) ? Number(text) : undefined
}

/** Parameters of a domain that say how its country writes numbers, with the values that they have by default. */
export const numberParameters = {
  country: 'country-code',
  international: 'international-prefix',
  national: 'national-prefix',
} as const
