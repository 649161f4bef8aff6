import type { Route } from '../../../contracts/routes/route.ts'
import { checkSize } from '../read-request.ts'
import type { Step } from '../step.ts'

/** Refuses a body above the route's limit. */
export function sizeLimit(route: Route): Step {
  return { before: ({ event: { event } }) => checkSize(event, route) }
}
