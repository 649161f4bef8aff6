import { numberParameters } from '../client-names/number-parameters.ts'
import type { DomainStore } from '../domains/domain-store.ts'

type Parameters = Readonly<Record<string, string>>

/** A number with its country has at least this many digits; shorter ones are extensions and services. */
const leastDigits = 8

/**
 * Returns the form in which blacklists compare a number or a word: without punctuation, words in small letters. Where
 * the domain names its country, a number is in E.164 form, however it was written: `+442071838750`.
 */
export function formOfListed(number: string, parameters: Parameters): string {
  const plain = number.replaceAll(/[\s().-]/g, '').toLowerCase()
  const country = parameters[numberParameters.country]
  if (country === undefined || !/^\+?\d+$/.test(plain)) return plain
  const international = parameters[numberParameters.international] ?? '00'
  const national = parameters[numberParameters.national] ?? '0'
  const after = (prefix: string) => (plain.startsWith(prefix) ? plain.slice(prefix.length) : '')
  const withCountry = after(national) === '' ? after(country) && plain : country + after(national)
  const full = after('+') || after(international) || withCountry
  return full.length < leastDigits ? plain : `+${full}`
}

/** Returns the form in which a domain's lists have a number. */
export async function listedForm(domains: Pick<DomainStore, 'read'>, domain: string, number: string): Promise<string> {
  return formOfListed(number, (await domains.read(domain))?.parameters ?? {})
}
