import { DomainError, invalidField } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import type { CdrNews } from './cdr-news.ts'
import { type EndFields, told } from './end-fields.ts'
import { keptFields } from './kept-fields.ts'

/** The longest uuid of a channel that is taken: the engine lets whoever places a call choose any. */
const maxUuid = 128

/** A CDR that the engine posts. */
export interface PostedCdr {
  /** As the engine names the leg in the query; with `prefix-a-leg` of its module, a leg `a` as `a_<uuid>`. */
  readonly named: string
  readonly fields: EndFields
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Queues a CDR that the engine posts. Posts of one leg are one: the queue keeps the first of five minutes, and the index
 * takes any number of them. Throws `invalid_field` when it is of another leg than the engine says, and
 * `store_unavailable` when the queue did not take it.
 */
export async function takeCdr(
  { cdrQueue }: PortsOf<{ readonly cdrQueue: readonly ['send'] }>,
  { named, fields, now }: PostedCdr,
): Promise<void> {
  const uuid = (told(fields, 'Unique-ID') ?? '').toLowerCase()
  if (uuid.length > maxUuid) throw invalidField('body', `must have a uuid of at most ${maxUuid} characters`)
  if (![uuid, `a_${uuid}`].includes(named.toLowerCase())) throw invalidField('uuid', 'must be that of the body')
  const created = /^\d{1,20}$/.exec(told(fields, 'Caller-Channel-Created-Time') ?? '')?.[0] ?? ''
  const news: CdrNews = {
    kind: 'post',
    id: `post:${uuid}:${created}`,
    uuid,
    occurredAt: now,
    fields: keptFields(fields),
  }
  const refused = await cdrQueue.send([news])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the CDR could not be queued')
}
