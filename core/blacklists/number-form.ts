import { numberParameters } from '../client-names/domain-parameters.ts'
import type { DomainStore } from '../domains/domain-store.ts'

type Parameters = Readonly<Record<string, string>>

/** The forms in which a list may have a number or a word. The first is the one in which it is kept today. */
export type ListedForms = readonly [string, ...string[]]

/** A number with its country has at least this many digits; shorter ones are extensions and services. */
const leastDigits = 8

/**
 * Returns the form in which blacklists compare a number or a word: without punctuation, words in small letters. Where
 * the domain names its country, a number is in E.164 form, however it was written: `+442071838750`.
 */
export function formOfListed(number: string, parameters: Parameters): string {
  const plain = withoutPunctuation(number).toLowerCase()
  const country = parameters[numberParameters.country]
  if (country === undefined || !/^\+?\d+$/.test(plain)) return plain
  const { international, national } = prefixesOf(parameters)
  const after = (prefix: string) => (plain.startsWith(prefix) ? plain.slice(prefix.length) : '')
  // Where nothing is dialled before national numbers, digits that look like the country's code begin one of them.
  const withCountry = after(national) === '' ? after(country) && plain : country + after(national)
  const full = after('+') || after(international) || withCountry
  return full.length < leastDigits ? plain : `+${full}`
}

/**
 * Returns every form in which a list may have a number: as it is kept today, and as it was kept before the domain named
 * its country and before words had small letters.
 */
export function formsOfListed(number: string, parameters: Parameters): ListedForms {
  const form = formOfListed(number, parameters)
  const { international, national } = prefixesOf(parameters)
  const full = form.slice(1)
  const ofCountry = national + full.slice(parameters[numberParameters.country]?.length)
  const spellings = [full, international + full, ofCountry].filter((each) => formOfListed(each, parameters) === form)
  const plain = withoutPunctuation(number)
  const others = new Set([...spellings, plain.toLowerCase(), plain])
  others.delete(form)
  return [form, ...others]
}

/** Returns the {@link formsOfListed} of a domain. */
export async function listedForms(domains: Pick<DomainStore, 'read'>, domain: string, number: string) {
  return formsOfListed(number, (await domains.read(domain))?.parameters ?? {})
}

function prefixesOf(parameters: Parameters) {
  const { [numberParameters.international]: international = '00', [numberParameters.national]: national = '0' } =
    parameters
  return { international, national: national === 'none' ? '' : national }
}

const withoutPunctuation = (number: string) => number.replaceAll(/[\s().-]/g, '')
