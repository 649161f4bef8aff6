import { gunzipSync, gzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import type { DomainVersion, DomainVersionHead } from '../../../core/domains/domain-version.ts'
import { keptUntil } from '../../retention.ts'
import type { Item } from '../client.ts'
import { expirySeconds, parseItem } from '../items.ts'
import { joinKey, keyPrefix, numberPart } from '../key.ts'

/** Bytes of one part of a document: an item has at most 400 KB. */
const partBytes = 350_000

/** Parts of a document: the endpoint accepts 1 MiB, and compression adds a few bytes to what it cannot compress. */
const maxParts = 4

/** Bytes of a document after decompression. More than the endpoint accepts is a damaged record. */
const maxDocumentBytes = 2 * 1024 * 1024

const headItem = z.object({
  domain: z.string(),
  number: z.number(),
  comment: z.string(),
  createdBy: z.string(),
  createdAt: z.number(),
  bytes: z.number(),
})
const partItem = z.object({ part: z.instanceof(Uint8Array) })

/** Returns the partition of a domain's versions. */
export function versionPartition(domain: string): string {
  return joinKey(domain)
}

/** The prefix of the sort keys of all heads. */
export const headPrefix = keyPrefix('head')

/** Returns the prefix of the sort keys of the parts of a document. */
export function documentPrefix(number: number): string {
  return keyPrefix('document', numberPart(number))
}

/** Returns the keys of everything that a version may consist of. */
export function versionKeys(domain: string, number: number) {
  const pk = versionPartition(domain)
  const parts = Array.from({ length: maxParts }, (_, part) => partKey(domain, number, part))
  return [{ pk, sk: headKey(number) }, ...parts]
}

/** Returns a version as items: its head, and its compressed document in parts. */
export function toVersionItems({ document, ...head }: DomainVersion) {
  const expiresAt = expirySeconds(keptUntil.domainVersion(head))
  const bytes = gzipSync(document)
  const parts = Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, part) => ({
    ...partKey(head.domain, head.number, part),
    part: new Uint8Array(bytes.subarray(part * partBytes, (part + 1) * partBytes)),
    expiresAt,
  }))
  return { head: { pk: versionPartition(head.domain), sk: headKey(head.number), ...head, expiresAt }, parts }
}

/** Returns the head in an item. */
export function fromHeadItem(item: Item | undefined): DomainVersionHead | undefined {
  return parseItem(headItem, item)
}

/** Returns the document in its parts, which come in their order. */
export function documentOf(items: readonly Item[]): string {
  const parts = items.flatMap((item) => parseItem(partItem, item)?.part ?? [])
  return gunzipSync(Buffer.concat(parts), { maxOutputLength: maxDocumentBytes }).toString()
}

function headKey(number: number): string {
  return joinKey('head', numberPart(number))
}

function partKey(domain: string, number: number, part: number) {
  return { pk: versionPartition(domain), sk: joinKey('document', numberPart(number), String(part)) }
}
