import { DomainError } from '../errors.ts'

/** Versions that a domain keeps; a further one replaces the oldest. */
export const maxDomainVersions = 200

/** A kept version of a domain, without its document. */
export interface DomainVersionHead {
  readonly domain: string
  /** 1 for the first version of a domain; each further one has the next number. */
  readonly number: number
  readonly comment: string
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The size of the document in UTF-8. */
  readonly bytes: number
}

/** A domain as it was at one time, written as a document by the client. The platform does not read the document. */
export interface DomainVersion extends DomainVersionHead {
  readonly document: string
}

/** A version as callers see it. */
export interface ShownDomainVersion {
  readonly version: number
  readonly comment: string
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly createdOn: number
  readonly bytes: number
}

/** See {@link ShownDomainVersion}. */
export function shownDomainVersion(head: DomainVersionHead): ShownDomainVersion {
  const { number, comment, createdBy, createdAt, bytes } = head
  return { version: number, comment, createdBy, createdOn: createdAt, bytes }
}

/** Returns the number in a path; `undefined` for any other text. */
export function versionNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** Returns the refusal of a version that is not kept. */
export function noSuchVersion(): DomainError {
  return new DomainError('not_found', 'Version not found')
}
