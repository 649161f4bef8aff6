import { callIdOf } from '../channels/call-id.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { CdrUpdate, CdrQueue } from './cdr-update.ts'
import { type EndFields, reported } from './end-fields.ts'
import { keptFields } from './kept-fields.ts'

/** The longest accepted uuid of a channel: the engine lets the originator of a call choose any. */
const maxUuid = 128

/** A CDR that the engine posts. */
export interface PostedCdr {
  /** The engine's name of the leg in the query; with `prefix-a-leg` of its module, a leg `a` is `a_<uuid>`. */
  readonly named: string
  readonly fields: EndFields
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Queues a CDR that the engine posts. Repeated posts of a leg are harmless: the queue keeps the first of five minutes,
 * and the index merges any number of them. Throws `invalid_field` when the body is about another leg than the query,
 * and `store_unavailable` when the queue did not accept it.
 */
export async function takeCdr(
  { cdrQueue }: { readonly cdrQueue: Pick<CdrQueue, 'send'> },
  { named, fields, now }: PostedCdr,
): Promise<void> {
  const uuid = callIdOf(reported(fields, 'Unique-ID') ?? '')
  if (uuid.length > maxUuid) throw invalidField('body', `must have a uuid of at most ${maxUuid} characters`)
  if (![uuid, `a_${uuid}`].map((each) => each.toLowerCase()).includes(named.toLowerCase()))
    throw invalidField('uuid', 'must be that of the body')
  const created = /^\d{1,20}$/.exec(reported(fields, 'Caller-Channel-Created-Time') ?? '')?.[0] ?? ''
  const update: CdrUpdate = {
    kind: 'post',
    id: `post:${uuid}:${created}`,
    uuid,
    occurredAt: now,
    fields: keptFields(fields),
  }
  const refused = await cdrQueue.send([update])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the CDR could not be queued')
}
