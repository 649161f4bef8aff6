import { subject } from './explain.ts'
import { DocumentError, type DomainState, memberOf } from './model.ts'
import type { Step } from './steps.ts'

const platformRoles: ReadonlySet<string> = new Set(['admin', 'user'])

/**
 * Throws a {@link DocumentError} for an account that gets a role which the domain will not have; the platform would
 * refuse it half-way.
 */
export function checkRoles({ roles }: Pick<DomainState, 'roles'>, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.kind !== 'account' || step.after === null) continue
    const { role } = step.after
    if (platformRoles.has(role) || memberOf(roles, role) !== null || role === step.before?.role) continue
    throw new DocumentError(`${subject(step)}: there is no role "${role}": use admin, user or a role of the document`)
  }
}
