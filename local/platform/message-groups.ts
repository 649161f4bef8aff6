/** How the laptop's queues keep tenants apart although the embedded SQS hands out one message of a group at a time. */
import * as z from 'zod/mini'
import type { ReceivedMessage } from '@callplane/laptop'

/** The group of an event, such as `domain/lane`. */
const laneGroup = /^.+\/\d+$/

const entry = z.looseObject({
  MessageBody: z.string(),
  MessageGroupId: z.optional(z.string()),
  MessageDeduplicationId: z.optional(z.string()),
})
const sending = z.looseObject({ Entries: z.array(entry) })

/**
 * Divides the groups of events, a few for each tenant, by call, and by their ids where they have none. SQS hands out
 * many messages of a group at a time, and the embedded one a single one, so that a batch of a tenant's events would
 * hold four. Returns `undefined` where there is nothing to divide.
 */
export function inSmallerGroups(input: unknown): object | undefined {
  const given = z.safeParse(sending, input)
  if (!given.success || !laneGroup.test(given.data.Entries[0]?.MessageGroupId ?? '')) return undefined
  const divided = given.data.Entries.map((one) => {
    const call = /"uuid":"([^"]+)"/.exec(one.MessageBody)?.[1] ?? one.MessageDeduplicationId ?? ''
    return { ...one, MessageGroupId: `${one.MessageGroupId}.${Buffer.from(call).at(-1)}` }
  })
  return { ...given.data, Entries: divided }
}

/**
 * Divides messages by tenant, into batches of at most `most`. Those of a group, which keep their order, stay together.
 * A tenant's messages have groups such as `domain/lane`. A group hands out nothing more until the batch that holds its
 * messages is done, so in a common batch one tenant would wait for another's work.
 */
export function byTenant(messages: readonly ReceivedMessage[], most: number): ReceivedMessage[][] {
  const tenantOf = ({ Attributes }: ReceivedMessage) => /^(.+)\/[\d.]+$/.exec(Attributes?.['MessageGroupId'] ?? '')?.[1]
  // Only a FIFO queue numbers messages; in any other a group is no order.
  const orderOf = ({ MessageId, Attributes }: ReceivedMessage) =>
    Attributes?.['SequenceNumber'] === undefined ? MessageId : Attributes['MessageGroupId']
  return [...Map.groupBy(messages, tenantOf).values()].flatMap((ofTenant) => {
    const batches: ReceivedMessage[][] = []
    for (const ofGroup of Map.groupBy(ofTenant, orderOf).values()) {
      const last = batches.at(-1)
      if (last === undefined || last.length + ofGroup.length > most) batches.push(ofGroup)
      else last.push(...ofGroup)
    }
    return batches
  })
}
