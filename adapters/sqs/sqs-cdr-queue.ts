import type { CdrMessage } from '../../contracts/messages/cdr.ts'
import type { CdrUpdate, CdrQueue, EventUpdate, PostUpdate } from '../../core/cdr/cdr-update.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
import { messageOf, textEvent } from '../events/text-event.ts'
import { sendBatches } from './send-batches.ts'

/** Updates of CDRs on the FIFO queue: one group a leg, one message an id. */
export function sqsCdrQueue(context: AdapterContext): CdrQueue {
  return {
    send(updates) {
      const entries = updates.map((one) => ({
        id: one.id,
        body: bodyOf(one),
        group: queueId(one.uuid),
        deduplicationId: queueId(one.id),
      }))
      return sendBatches(context, 'cdrs', entries, { ordered: true })
    },
  }
}

type Members<Kind extends CdrMessage['kind']> = Omit<Extract<CdrMessage, { kind: Kind }>, 'fields'>

function bodyOf(update: CdrUpdate): string {
  const { id, uuid } = update
  switch (update.kind) {
    case 'event': {
      const { domain, occurredAt } = update
      const members: Members<'event'> = { version: 1, kind: 'event', id, uuid, domain, occurredAt }
      return messageOf(members, sizedReport(update))
    }
    case 'post': {
      const members: Members<'post'> = { version: 1, kind: 'post', id, uuid, occurredAt: update.occurredAt }
      return messageOf(members, sizedReport(update))
    }
    case 'recording': {
      const { domain, leg, createdTime } = update
      const message: CdrMessage = { version: 1, kind: 'recording', id, uuid, domain, leg, createdTime }
      return queueBody(message)
    }
  }
}

function sizedReport(update: EventUpdate | PostUpdate): Pick<PlatformEvent, 'fields' | 'fieldsText'> {
  if (update.kind === 'event' && update.fieldsText !== undefined) return update
  const { id, uuid, occurredAt, fields } = update
  return textEvent({ id, name: '', domain: '', uuid, occurredAt, fields, reader: 'cdr' })
}
