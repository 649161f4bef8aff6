import type { EventLog } from '../../../core/events/event-log.ts'
import type { LoggedEvent } from '../../../core/events/platform-event.ts'
import type { AdapterContext } from '../../context.ts'
import { readHead } from './event-log-head.ts'
import { readEvents } from './read-events.ts'

/** Reads logs of events in DynamoDB. */
export function dynamoEventLog(context: AdapterContext): EventLog {
  const headOf = async (domain: string) => (await readHead(context, domain)).sequence
  return {
    read: (domain, since, limit) => readEvents(context, domain, since, limit),
    async latest(domain, count) {
      const found: LoggedEvent[] = []
      if (count <= 0) return found
      let since = Math.max(0, (await headOf(domain)) - count)
      for (;;) {
        const { events, upTo } = await readEvents(context, domain, since, count)
        found.push(...events)
        if (upTo === since) return found.slice(-count)
        since = upTo
      }
    },
    head: headOf,
  }
}
