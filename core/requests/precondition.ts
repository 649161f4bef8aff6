import { DomainError, invalidField } from '../errors.ts'

/** The condition of a request on the record that it changes: its `If-Match` and `If-None-Match`. */
export interface Precondition {
  /** Whether the request sent `If-Match`; if so, a concurrent change is 412, not 409. */
  readonly isGiven: boolean
  /** Whether a record with this tag may be changed; `undefined` stands for one that has none. */
  allows(tag: string | undefined): boolean
}

/** The precondition of a request without one. */
export const noPrecondition: Precondition = { isGiven: false, allows: () => true }

/** The longest `If-Match` or `If-None-Match` that is read. */
const maxLength = 1024
/** Entity tags separated by commas; a comma inside quotes belongs to its tag. */
const listForm = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"\s*(?:,\s*(?:W\/)?"[\x21\x23-\x7e]*"\s*)*$/

/**
 * Reads an `If-Match`: `*`, or entity tags separated by commas. Weak and strong tags are compared alike, since the
 * service hands out weak ones. Throws `invalid_field`.
 */
export function readIfMatch(header: string | undefined): Precondition {
  if (header === undefined) return noPrecondition
  if (header.trim() === '*') return { isGiven: true, allows: () => true }
  return { isGiven: true, allows: tagsIn('If-Match', header) }
}

/** Reads an `If-None-Match` as {@link readIfMatch} does: it allows no record, or none of the named versions. */
export function readIfNoneMatch(header: string | undefined): Precondition {
  if (header === undefined) return noPrecondition
  if (header.trim() === '*') return { isGiven: true, allows: (tag) => tag === undefined }
  const isNamed = tagsIn('If-None-Match', header)
  return { isGiven: true, allows: (tag) => !isNamed(tag) }
}

/** Returns the condition that holds where both do. */
export function bothOf(one: Precondition, other: Precondition): Precondition {
  return { isGiven: one.isGiven || other.isGiven, allows: (tag) => one.allows(tag) && other.allows(tag) }
}

/** Returns whether a header is `*` or entity tags, and not too long. */
export function isReadable(header: string): boolean {
  return header.length <= maxLength && (header.trim() === '*' || listForm.test(header))
}

/** Returns whether a tag is among those of a header. */
function tagsIn(name: string, header: string): (tag: string | undefined) => boolean {
  if (!isReadable(header)) throw invalidField(name, 'must be * or entity tags such as W/"x", separated by commas')
  const tags = header.match(/"[^"]*"/g) ?? []
  return (tag) => tag !== undefined && tags.some((each) => each === tag.replace(/^W\//, ''))
}

/** Identifies one version of a record, also among those of a later record with the same name. */
export interface Versioned {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly version: number
  /** The versions of the records that it shows besides its own, nearest first; none where it shows only itself. */
  readonly inherited?: readonly number[]
}

/** Returns the weak entity tag of a version. */
export function entityTag({ createdAt, version, inherited = [] }: Versioned): string {
  return `W/"${createdAt.toString(36)}-${[version, ...inherited].join('.')}"`
}

/** Throws `precondition_failed` when a record is not in a version that the request demands. */
export function requireMatch(precondition: Precondition, record: Versioned | undefined): void {
  if (!precondition.allows(record && entityTag(record))) throw preconditionFailed()
}

/** Returns the refusal of a change to a record that is not as `If-Match` or `If-None-Match` demands. */
export function preconditionFailed(): DomainError {
  return new DomainError(
    'precondition_failed',
    'it was changed since you read it, or exists although If-None-Match rules that out: read it again',
  )
}
