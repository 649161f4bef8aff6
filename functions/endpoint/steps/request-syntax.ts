import type { Route } from '../../../contracts/routes/route.ts'
import { readRequest } from '../read-request.ts'
import type { Step } from '../step.ts'

/** Reads path parameters, query and body, and refuses malformed ones. */
export function requestSyntax(route: Route): Step {
  return {
    before: ({ event: exchange }) => {
      exchange.raw = readRequest(exchange.event, route)
    },
  }
}
