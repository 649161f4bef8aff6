import { DomainError, invalidField } from '../errors.ts'
import type { Caller } from '../auth/token.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { permissionDenied } from './permission.ts'

/** Lower-cases ASCII letters and nothing else, so that no other letter ever becomes one of a domain's name. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The domains that a request names, as it names them. */
export interface NamedDomains {
  readonly path?: string | undefined
  readonly query: string | undefined
  readonly body: string | undefined
}

/** A domain that a request works in. */
export interface ResolvedDomain {
  readonly name: string
  /** When it was made, epoch milliseconds. */
  readonly createdAt: number
}

/**
 * The domain that a request works in. A caller bound to a domain works in his own and may name no other (403). Root
 * names one that exists (404 otherwise); where `optional` he may name none and works in all of them (`null`), else
 * that is `domain_required`.
 */
export async function resolveDomain(
  caller: Pick<Caller, 'domain' | 'domainCreatedAt'>,
  named: NamedDomains,
  rule: 'required' | 'optional',
  domains: Pick<DomainStore, 'read'>,
): Promise<ResolvedDomain | null> {
  const names = [named.path, named.query, named.body].filter((name) => name !== undefined).map(lowerAscii)
  if (caller.domain !== null) {
    const isOther = names.some((name) => name !== caller.domain)
    if (isOther || caller.domainCreatedAt === null) throw permissionDenied()
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

/** The refusal of a domain that is not there. */
export function noSuchDomain(): DomainError {
  return new DomainError('not_found', 'Domain not found')
}

/** Whether a text can be a domain's name at all; no other is looked up. */
export function couldBeDomain(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name)
}
