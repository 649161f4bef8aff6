import type { Route } from '../../../contracts/routes/route.ts'
import { decidePermission } from '../../../core/access/permission.ts'
import type { Step } from '../endpoint-parts.ts'

/** Refuses a caller whose role does not hold the route's permission, before any record is looked up. */
export function permissionCheck({ permission }: Route): Step {
  return {
    before: ({ event: exchange }) => {
      const { caller } = exchange
      exchange.scope = permission === null || caller === undefined ? 'all' : decidePermission(caller.acl, permission)
    },
  }
}
