import { DomainError, invalidField } from '../errors.ts'
import type { Caller } from './token.ts'
import { permissionDenied } from './permission.ts'

/** Converts ASCII letters to lower case and nothing else, so that no other letter becomes one of a domain's name. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The domains that a request names, as written. */
export interface NamedDomains {
  readonly path?: string | undefined
  readonly query: string | undefined
  readonly body: string | undefined
}

/** The domain of a request. */
export interface ResolvedDomain {
  readonly name: string
  /** The time of its creation, epoch milliseconds. */
  readonly createdAt: number
}

/** Reads domains by name; part of the store of domains. */
export interface DomainReader {
  read(name: string): Promise<{ readonly createdAt: number } | undefined>
}

/**
 * Returns the domain of a request. A caller that is bound to a domain works in that one and may name no other (403).
 * Root names an existing one (404 otherwise). With `optional`, root may name none and works in all of them (`null`);
 * without it, that is `domain_required`.
 */
export async function resolveDomain(
  caller: Pick<Caller, 'domain' | 'domainCreatedAt'>,
  named: NamedDomains,
  rule: 'required' | 'optional',
  domains: DomainReader,
): Promise<ResolvedDomain | null> {
  const names = [named.path, named.query, named.body].filter((name) => name !== undefined).map(lowerAscii)
  if (caller.domain !== null) {
    const isOther = names.some((name) => name !== caller.domain)
    if (isOther || caller.domainCreatedAt === null) {
      throw permissionDenied('you are bound to a domain and may name no other: leave domain out')
    }
    return { name: caller.domain, createdAt: caller.domainCreatedAt }
  }
  const [name, ...others] = names
  if (others.some((other) => other !== name)) {
    throw invalidField('domain', 'path, query and body must name the same domain')
  }
  if (name === undefined) {
    if (rule === 'optional') return null
    throw new DomainError('domain_required', 'domain: must be given, since you are bound to no domain', {
      details: [{ field: 'domain', problem: 'must be given' }],
    })
  }
  const found = couldBeDomain(name) ? await domains.read(name) : undefined
  if (found === undefined) throw noSuchDomain()
  return { name, createdAt: found.createdAt }
}

/** Returns the refusal of a missing domain. */
export function noSuchDomain(): DomainError {
  return new DomainError('not_found', 'Domain not found')
}

/** Returns whether a text can be a domain's name at all; other texts are not looked up. */
export function couldBeDomain(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name)
}
