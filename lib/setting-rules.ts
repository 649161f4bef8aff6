import { isIP, isIPv4 } from 'node:net'

/** What a setting must be: the check, and the words for it in an error message. */
export interface SettingRule {
  readonly words: string
  readonly accepts: (value: string) => boolean
}

/** A value of this form. */
export const matching = (pattern: RegExp, words: string): SettingRule => ({
  words,
  accepts: (value) => pattern.test(value),
})

/** A whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number): SettingRule => ({
  words: `a whole number from ${min} to ${max}`,
  accepts: (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
})

/** Both rules. */
export const both = (first: SettingRule, second: SettingRule): SettingRule => ({
  words: `${first.words}, ${second.words}`,
  accepts: (value) => first.accepts(value) && second.accepts(value),
})

/** One of these words. */
export const oneOf = (...values: readonly string[]): SettingRule => ({
  words: values.join(', '),
  accepts: (value) => values.includes(value),
})

/** A network of version 4 in CIDR form. */
export const network: SettingRule = {
  words: 'a network such as 10.0.0.0/16',
  accepts: (value) => isNetwork(value, isIPv4, 32),
}

/** A network of either version in CIDR form. */
export const anyNetwork: SettingRule = {
  words: 'a network such as 10.0.0.0/16 or fd00::/8',
  accepts: (value) => network.accepts(value) || isNetwork(value, (address) => isIP(address) === 6, 128),
}

/** Values of one rule, comma-separated; none at all too. */
export const listOf = (rule: SettingRule): SettingRule => ({
  words: `a comma-separated list, each ${rule.words}`,
  accepts: (value) => partsOf(value).every(rule.accepts),
})

/** The rule, or nothing. */
export const optional = (rule: SettingRule): SettingRule => ({
  words: `${rule.words}, or empty`,
  accepts: (value) => value === '' || rule.accepts(value),
})

/** The values of a comma-separated list, without the spaces around them. */
export function partsOf(list: string): string[] {
  return list.trim() === '' ? [] : list.split(',').map((part) => part.trim())
}

function isNetwork(value: string, isAddress: (address: string) => boolean, bits: number): boolean {
  const [address = '', length = '', ...rest] = value.split('/')
  return rest.length === 0 && isAddress(address) && wholeNumber(0, bits).accepts(length)
}
