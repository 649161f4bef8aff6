import { listEventTypes } from '../../contracts/routes/events.ts'
import { eventTypes } from '../../core/events/event-types.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(listEventTypes, {}, async () =>
  okData(eventTypes().map(({ event, schema }) => ({ event, schema: { ...schema } }))),
)
