import { DomainError, invalidField } from '../errors.ts'
import {
  type ShownDomainVersion,
  maxDomainVersions,
  noSuchVersion,
  shownDomainVersion,
  versionNumber,
} from './domain-version.ts'
import type { DomainVersionStore } from './domain-version-store.ts'

/** The document and what its author says about it. */
export interface DomainVersionInput {
  readonly document: string
  readonly comment?: string | undefined
}

/** The place and the author of a new version. */
export interface KeepContext {
  readonly domain: string
  /** The number in the path: the audit trail shows the path, so its line names the version. */
  readonly number: string
  readonly author: string
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Keeps a version of a domain. Its number must be the one after the newest, so that of two authors at the same time
 * only one succeeds. A repetition of a completed request changes nothing. Throws `invalid_field` for a number that
 * cannot be, and `conflict` for any other number than the next.
 */
export async function keepDomainVersion(
  domainVersions: DomainVersionStore,
  { document, comment = '' }: DomainVersionInput,
  { domain, number: text, author, now }: KeepContext,
): Promise<ShownDomainVersion> {
  const number = versionNumber(text)
  if (number === undefined) throw invalidField('version', 'must be a whole number from 1')
  const newest = (await domainVersions.list(domain))[0]?.number ?? 0
  const bytes = new TextEncoder().encode(document).length
  const version = { domain, number, comment, createdBy: author, createdAt: now, bytes, document }
  if (number === newest + 1 && (await domainVersions.create(version, maxDomainVersions))) {
    return shownDomainVersion(version)
  }
  const kept = await domainVersions.read(domain, number)
  const isSame = kept?.document === document && kept.comment === comment && kept.createdBy === author
  if (kept !== undefined && isSame) return shownDomainVersion(kept)
  throw new DomainError('conflict', `the next version of the domain is not ${number}: list the versions and retry`)
}

/** Returns a version with its document. Throws `not_found`. */
export async function readDomainVersion(
  domainVersions: Pick<DomainVersionStore, 'read'>,
  domain: string,
  text: string,
): Promise<ShownDomainVersion & { readonly document: string }> {
  const number = versionNumber(text)
  const kept = number === undefined ? undefined : await domainVersions.read(domain, number)
  if (kept === undefined) throw noSuchVersion()
  return { ...shownDomainVersion(kept), document: kept.document }
}
