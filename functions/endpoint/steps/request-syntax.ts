import type { Route } from '../../../contracts/routes/route.ts'
import { checkSize, readRequest } from '../read-request.ts'
import type { Step } from '../endpoint-parts.ts'

/** Refuses a body above the route's limit. */
export function sizeLimit(route: Route): Step {
  return { before: ({ event: { event } }) => checkSize(event, route) }
}

/** Reads path parameters, query and body, and refuses malformed ones. */
export function requestSyntax(route: Route): Step {
  return {
    before: ({ event: exchange }) => {
      exchange.raw = readRequest(exchange.event, route)
    },
  }
}
