import type { CdrMessage } from '../../contracts/messages/cdr.ts'
import type { CdrNews, CdrQueue } from '../../core/cdr/cdr-news.ts'
import type { EndFields } from '../../core/cdr/end-fields.ts'
import type { AdapterContext } from '../context.ts'
import { ITEM_EVENT_BYTES, fitted } from '../events/fitted-event.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
import { sendBatches } from './send-batches.ts'

/** News of CDRs on the FIFO queue: one group a leg, one message an id. */
export function sqsCdrQueue(context: AdapterContext): CdrQueue {
  return {
    send(news) {
      const entries = news.map((one) => ({
        id: one.id,
        body: queueBody(toMessage(one)),
        group: queueId(one.uuid),
        deduplicationId: queueId(one.id),
      }))
      return sendBatches(context, 'cdrs', entries, { ordered: true })
    },
  }
}

function toMessage(news: CdrNews): CdrMessage {
  const { id, uuid } = news
  switch (news.kind) {
    case 'event': {
      const { domain, occurredAt } = news
      return { version: 1, kind: 'event', id, uuid, domain, occurredAt, fields: fittedFields(news) }
    }
    case 'post':
      return { version: 1, kind: 'post', id, uuid, occurredAt: news.occurredAt, fields: fittedFields(news) }
    case 'recording': {
      const { domain, leg, createdTime } = news
      return { version: 1, kind: 'recording', id, uuid, domain, leg, createdTime }
    }
  }
}

/** Returns the report of an ended leg, cut to the size of a message. */
function fittedFields({ id, uuid, occurredAt, fields }: Extract<CdrNews, { fields: EndFields }>) {
  return fitted({ id, name: '', domain: '', uuid, occurredAt, fields }, ITEM_EVENT_BYTES).fields
}
