import type { Settings } from './model.ts'

/** A number with its country has at least this many digits. */
const leastDigits = 8

/**
 * Returns a number or a word of a blacklist as the platform keeps it, by the parameters of the domain: in E.164 form
 * where the domain names its country, and words in small letters.
 */
export function listedNumber(written: string, parameters: Settings): string {
  const plain = written.replaceAll(/[\s().-]/g, '').toLowerCase()
  const country = parameters['country-code']
  if (country === undefined || !/^\+?\d+$/.test(plain)) return plain
  const { 'international-prefix': international = '00', 'national-prefix': given = '0' } = parameters
  const national = given === 'none' ? '' : given
  const after = (prefix: string) => (plain.startsWith(prefix) ? plain.slice(prefix.length) : '')
  const withCountry = after(national) === '' ? after(country) && plain : country + after(national)
  const full = after('+') || after(international) || withCountry
  return full.length < leastDigits ? plain : `+${full}`
}
