import type { Acl, AclAction } from '../access/acl.ts'
import { scopeOf } from '../access/permission.ts'
import { invalidField } from '../errors.ts'
import { splitPattern } from '../requests/pattern.ts'
import type { StoredRoute } from './stored-route.ts'
import { type CallflowJudges, parseCallflow } from './parse-callflow.ts'
import { isTimeZone } from '../client-names/value-rules.ts'

const routeVersion = 2

/** A route as a caller writes it; types and lengths have been checked, rules have not. */
export interface RouteInput {
  readonly destination_number: string
  readonly name?: string | undefined
  readonly order?: number | undefined
  readonly disabled?: boolean | undefined
  readonly fs_timezone?: string | null | undefined
  readonly description?: string | undefined
  readonly gateway?: string | undefined
  readonly callflow?: readonly unknown[] | undefined
}

/** The content of a route that a caller decides, without the order. */
export type RouteContent = Omit<StoredRoute, 'id' | 'domain' | 'order' | 'createdAt' | 'revision'>

/** Returns who may write steps that run programs: callers with all rights to routes, if the deployment allows them. */
export function scriptRights(acl: Acl, areOn: boolean): CallflowJudges['scripts'] {
  const every: readonly AclAction[] = ['c', 'r', 'u', 'd']
  return { areOn, arePermitted: every.every((action) => scopeOf(acl, 'rotes/default', action) === 'all') }
}

/**
 * Reads a route, with defaults for fields that are left out. Throws `invalid_field`, and the errors of
 * {@link parseCallflow}.
 */
export function readRouteInput(input: RouteInput, judges: CallflowJudges): RouteContent {
  const { destination_number: destinationNumber, fs_timezone: fsTimezone = null } = input
  const { pattern, flags } = splitPattern(destinationNumber)
  const problem = judges.patternProblem(pattern, flags)
  if (problem !== undefined) {
    throw invalidField('destination_number', `must be a regular expression that matches in linear time: ${problem}`)
  }
  if (fsTimezone !== null && !isTimeZone(fsTimezone)) {
    throw invalidField('fs_timezone', 'must be null or the name of a time zone such as Europe/Kyiv')
  }
  return {
    destinationNumber,
    name: input.name ?? destinationNumber,
    disabled: input.disabled ?? false,
    fsTimezone,
    description: input.description ?? '',
    ...(input.gateway !== undefined && { gateway: input.gateway }),
    version: routeVersion,
    ...parseCallflow(input.callflow ?? [], judges),
  }
}
