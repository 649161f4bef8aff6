/** The parameter of a domain that sets for how many days its recordings are kept. */
export const retentionParameter = 'recording-retention-days'

interface WithParameters {
  readonly parameters: Readonly<Record<string, string>>
}

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

/** Returns the retention of a number of days, or of a domain, in milliseconds. */
export function retentionMs(of: number | WithParameters): number {
  return (typeof of === 'number' ? of : retentionDaysOf(of)) * dayMs
}
