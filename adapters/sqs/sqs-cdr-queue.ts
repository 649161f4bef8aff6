import type { CdrMessage } from '../../contracts/messages/worker-messages.ts'
import type { CdrNews, CdrQueue, EventNews, PostNews } from '../../core/cdr/cdr-news.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
import { messageOf, textEvent } from '../events/text-event.ts'
import { sendBatches } from './send-batches.ts'

/** News of CDRs on the FIFO queue: one group a leg, one message an id. */
export function sqsCdrQueue(context: AdapterContext): CdrQueue {
  return {
    send(news) {
      const entries = news.map((one) => ({
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

function bodyOf(news: CdrNews): string {
  const { id, uuid } = news
  switch (news.kind) {
    case 'event': {
      const { domain, occurredAt } = news
      const members: Members<'event'> = { version: 1, kind: 'event', id, uuid, domain, occurredAt }
      return messageOf(members, sizedReport(news))
    }
    case 'post': {
      const members: Members<'post'> = { version: 1, kind: 'post', id, uuid, occurredAt: news.occurredAt }
      return messageOf(members, sizedReport(news))
    }
    case 'recording': {
      const { domain, leg, createdTime } = news
      const message: CdrMessage = { version: 1, kind: 'recording', id, uuid, domain, leg, createdTime }
      return queueBody(message)
    }
  }
}

function sizedReport(news: EventNews | PostNews): Pick<PlatformEvent, 'fields' | 'fieldsText'> {
  if (news.kind === 'event' && news.fieldsText !== undefined) return news
  const { id, uuid, occurredAt, fields } = news
  return textEvent({ id, name: '', domain: '', uuid, occurredAt, fields, reader: 'cdr' })
}
