import type { CallflowStep, StoredRoute, RouteHead } from './stored-route.ts'

/** A route without its callflow as callers see it. */
export interface PresentedHead {
  readonly _id: string
  readonly destination_number: string
  readonly name: string
  readonly order: number
  readonly disabled: boolean
  readonly domain: string
  readonly fs_timezone: string | null
  readonly description: string
  readonly gateway?: string
  readonly version: number
}

/** A route as callers see it. */
export interface PresentedRoute extends PresentedHead {
  readonly callflow: CallflowStep[]
  /** Places of the callflow that are no longer allowed, such as `callflow[3].setVar`; absent: none. */
  readonly ignored?: string[]
}

/** Shows a route but for its callflow. Every member is named here, so that none slips out. */
export function presentHead(route: RouteHead): PresentedHead {
  return {
    _id: route.id,
    destination_number: route.destinationNumber,
    name: route.name,
    order: route.order,
    disabled: route.disabled,
    domain: route.domain,
    fs_timezone: route.fsTimezone,
    description: route.description,
    ...(route.gateway !== undefined && { gateway: route.gateway }),
    version: route.version,
  }
}

/** Shows a route. */
export function presentRoute(route: StoredRoute, ignored: readonly string[] = []): PresentedRoute {
  const head = { ...presentHead(route), callflow: [...route.callflow] }
  return ignored.length === 0 ? head : { ...head, ignored: [...ignored] }
}
