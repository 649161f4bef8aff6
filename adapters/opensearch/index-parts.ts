import { retry } from '../../core/concurrency/retry.ts'
import type { CdrPart, CdrRecording } from '../../core/cdr/cdr.ts'
import type { CdrKey, RefusedPart } from '../../core/cdr/cdr-store.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { retryDeps } from '../system/system-time.ts'
import { searchUnavailable } from './client.ts'
import { type DocumentLocation, type ReadDocument, type Write, readDocuments, writeDocuments } from './documents.ts'
import { documentId, indexOf } from './indices.ts'
import { type KeptCdr, mergeCdr, withRecordings } from '../../core/cdr/merge-cdr.ts'
import { toStored } from './stored-cdr.ts'

const MAX_DOCUMENTS = 200
/**
 * Characters of the variables of one request; one document may pass it. A document has them twice, in 1 to 6 bytes
 * each: at most 6 MiB.
 */
const MAX_CHARACTERS = 512 * 1024

/** Another writer needs some 20 ms, a full queue of the store up to a second: seven attempts wait 1.5 s in all. */
const CONTENTION = { attempts: 7, backoff: { firstMs: 25, longestMs: 800 } }

interface LegParts {
  readonly place: DocumentLocation
  readonly parts: CdrPart[]
}

/**
 * Writes parts, each merged with the stored record of its leg; returns those that the store refuses for good. Nearly
 * all legs are new, so they are written as new ones, and only those that are there already are read.
 */
export async function indexParts(context: AdapterContext, parts: readonly CdrPart[]): Promise<RefusedPart[]> {
  const refused: RefusedPart[] = []
  for (const legs of requestsOf(legsOf(parts))) {
    const merged = (leg: LegParts, known: KeptCdr | undefined) => leg.parts.reduce<KeptCdr | undefined>(mergeCdr, known)
    const outcomes = await change(context, legs, merged, { areProbablyNew: true })
    for (const [leg, reason] of outcomes) refused.push(...leg.parts.map((part) => ({ part, reason })))
  }
  return refused
}

/** Replaces the recordings of a CDR; returns `false` if it does not exist. */
export async function replaceRecordings(
  context: AdapterContext,
  cdr: CdrKey,
  recordings: readonly CdrRecording[],
): Promise<boolean> {
  const leg = { place: placeOf(cdr) }
  let isThere = false
  const refused = await change(context, [leg], (_leg, known) => {
    isThere = known !== undefined
    return known && withRecordings(known, recordings)
  })
  const reason = refused.get(leg)
  if (reason !== undefined) throw searchUnavailable(new Error(`recordings were refused: ${reason}`))
  return isThere
}

/**
 * Changes documents: reads them, applies `next` to each (nothing: unchanged), writes the changed ones, and repeats this
 * for those that were changed concurrently. What is probably new is first written without being read. Returns the
 * refused ones, with the reason.
 */
async function change<L extends { readonly place: DocumentLocation }>(
  context: AdapterContext,
  legs: readonly L[],
  next: (leg: L, known: KeptCdr | undefined) => KeptCdr | undefined,
  { areProbablyNew = false } = {},
): Promise<ReadonlyMap<L, string>> {
  const refused = new Map<L, string>()
  let left = legs
  const write = async (read: readonly (ReadDocument | undefined)[]) => {
    const changed = left.flatMap((leg, index) => {
      const wanted = writeOf(leg.place, read[index], next(leg, read[index]?.known))
      return wanted === undefined ? [] : [{ leg, wanted }]
    })
    if (changed.length === 0) {
      left = []
      return
    }
    const written = await writeDocuments(
      context,
      changed.map(({ wanted }) => wanted),
    )
    for (const [index, { leg }] of changed.entries()) {
      const outcome = written[index]
      if (typeof outcome === 'object') refused.set(leg, outcome.refused)
    }
    left = changed.flatMap(({ leg }, index) => (written[index] === 'again' ? [leg] : []))
  }
  const changeRest = async () => {
    const places = left.map(({ place }) => place)
    await write(await readDocuments(context, places))
    if (left.length > 0) throw searchUnavailable(new LeftOver('the search store had no room, or others kept writing'))
  }
  const mayPass = (problem: unknown) => problem instanceof DomainError && problem.cause instanceof LeftOver
  if (areProbablyNew && left.length > 0) await write([])
  if (left.length > 0) await retry(changeRest, retryDeps, { ...CONTENTION, mayPass })
  return refused
}

function writeOf(
  place: DocumentLocation,
  over: ReadDocument | undefined,
  known: KeptCdr | undefined,
): Write | undefined {
  if (known === undefined) return undefined
  const document = toStored(known)
  if (over !== undefined && canonical(toStored(over.known)) === canonical(document)) return undefined
  return { place, document, over }
}

function legsOf(parts: readonly CdrPart[]): LegParts[] {
  const legs = new Map<string, LegParts>()
  for (const part of parts) {
    const place = placeOf(part.cdr)
    const key = `${place.index} ${place.id}`
    const leg = legs.get(key) ?? { place, parts: [] }
    leg.parts.push(part)
    legs.set(key, leg)
  }
  return [...legs.values()]
}

function requestsOf(legs: readonly LegParts[]): LegParts[][] {
  const requests: LegParts[][] = []
  let characters = 0
  for (const leg of legs) {
    const size = leg.parts.reduce((sum, part) => sum + charactersOf(part), 0)
    const request = requests.at(-1)
    if (request === undefined || request.length === MAX_DOCUMENTS || characters + size > MAX_CHARACTERS) {
      requests.push([leg])
      characters = size
    } else {
      request.push(leg)
      characters += size
    }
  }
  return requests
}

/** Its variables are nearly all of a long CDR; writing it as JSON to measure it would take ten times as long. */
function charactersOf({ cdr }: CdrPart): number {
  return Object.entries(cdr.variables).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
}

function placeOf(cdr: CdrKey): DocumentLocation {
  return { index: indexOf(cdr.leg, cdr.created_time), id: documentId(cdr), routing: cdr.domain_name }
}

/** The same text for equal documents, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** Documents of a request were written by others meanwhile, or found no room. */
class LeftOver extends Error {}
