import { asyncApiDocument } from '../../contracts/asyncapi/document.ts'
import { readEventDescription } from '../../contracts/routes/descriptions.ts'
import { eventTypes } from '../../core/events/event-types.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(readEventDescription, {}, async () => asyncApiDocument(eventTypes()))
