import * as z from 'zod/mini'
import type { AdapterContext } from '../context.ts'
import { askOpenSearch, searchRefused, searchUnavailable } from './client.ts'
import type { KeptCdr } from '../../core/cdr/merge-cdr.ts'
import { cdrSchema, keptSchema } from './read-cdr.ts'
import type { StoredCdr } from './stored-cdr.ts'

/** The location of a document. */
export interface DocumentLocation {
  readonly index: string
  readonly id: string
  /** The domain: its documents are together in one shard of each index. */
  readonly routing: string
}

/** A document as read, with its version. */
export interface ReadDocument {
  readonly known: KeptCdr
  readonly version: { readonly if_seq_no: number; readonly if_primary_term: number }
}

/** A document to be written over the one that was read, or over none. */
export interface Write {
  readonly place: DocumentLocation
  readonly document: StoredCdr
  readonly over: ReadDocument | undefined
}

/** The result of a write: `again` after a concurrent write, or when the store had no room at the moment. */
export type Written = 'done' | 'again' | { readonly refused: string }

const TIMEOUT_MS = 10_000

/** Documents are read and written a few MiB at a time; those of long calls with many variables are large. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

const readAnswer = z.object({
  docs: z.array(
    z.object({
      found: z.optional(z.boolean()),
      error: z.optional(z.object({ type: z.string() })),
      _seq_no: z.optional(z.number()),
      _primary_term: z.optional(z.number()),
      _source: z.optional(z.extend(cdrSchema, { kept: keptSchema })),
    }),
  ),
})

/** Reads the current documents, not those that searches see; `undefined` for a missing one. */
export async function readDocuments(
  context: AdapterContext,
  places: readonly DocumentLocation[],
): Promise<(ReadDocument | undefined)[]> {
  const docs = places.map(({ index, id, routing }) => ({ _index: index, _id: id, routing }))
  const limits = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES }
  const answer = await askOpenSearch(context, limits, (client, options) =>
    client.mget({ _source_excludes: ['any', 'pairs'], body: { docs } }, options),
  )
  if (answer.status !== 200) throw searchRefused(answer)
  const parsed = z.safeParse(readAnswer, answer.body)
  if (!parsed.success || parsed.data.docs.length !== places.length) throw strange(parsed.error)
  return parsed.data.docs.map(({ found, error, _seq_no, _primary_term, _source }) => {
    if (found === false || error?.type === 'index_not_found_exception') return undefined
    if (_source === undefined || _seq_no === undefined || _primary_term === undefined) throw strange(error)
    const { kept, ...cdr } = _source
    return {
      known: { cdr, ...kept },
      version: { if_seq_no: _seq_no, if_primary_term: _primary_term },
    }
  })
}

const item = z.object({
  status: z.number(),
  error: z.optional(z.object({ type: z.string(), reason: z.optional(z.nullable(z.string())) })),
})

const bulkAnswer = z.object({
  items: z.array(z.union([z.object({ index: item }), z.object({ create: item })])),
})

/** Writes documents in one request; returns the result of each, in order. */
export async function writeDocuments(context: AdapterContext, writes: readonly Write[]): Promise<Written[]> {
  const body = writes.flatMap(({ place, document, over }) => {
    const target = { _index: place.index, _id: place.id, routing: place.routing, ...over?.version }
    return [{ [over ? 'index' : 'create']: target }, document]
  })
  const answer = await askOpenSearch(context, { timeoutMs: TIMEOUT_MS }, (client, options) =>
    client.bulk({ body }, options),
  )
  if (answer.status === 413) return tooLarge(context, writes)
  if (answer.status !== 200) throw searchRefused(answer)
  const parsed = z.safeParse(bulkAnswer, answer.body)
  if (!parsed.success || parsed.data.items.length !== writes.length) throw strange(parsed.error)
  return parsed.data.items.map((result) => outcomeOf('index' in result ? result.index : result.create))
}

/** If documents are too large together, each half may fit. */
async function tooLarge(context: AdapterContext, writes: readonly Write[]): Promise<Written[]> {
  if (writes.length === 1) return [{ refused: 'the search store finds the document too large' }]
  const middle = Math.ceil(writes.length / 2)
  return [
    ...(await writeDocuments(context, writes.slice(0, middle))),
    ...(await writeDocuments(context, writes.slice(middle))),
  ]
}

function outcomeOf({ status, error }: z.infer<typeof item>): Written {
  if (status < 300) return 'done'
  if (status === 400)
    return { refused: `${error?.type ?? 'refused'}: ${error?.reason ?? ''}`.slice(0, TOLD_CHARACTERS) }
  // 409: another write came between; 404: its index was removed; 429 and above: no room. All of them pass.
  return 'again'
}

const TOLD_CHARACTERS = 300

function strange(cause: unknown): Error {
  return searchUnavailable(new Error('documents were answered in another form', { cause }))
}
