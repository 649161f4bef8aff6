import { DomainError, type FieldProblem } from '../../errors.ts'
import type { Hook, HookAuth } from './hook.ts'
import type { HookAuthInput, HookInput } from './hook-input.ts'
import { normalMethod } from './hook-rules.ts'

/** Attempts that follow a failed first one, when a hook does not say. */
const usualRetries = 8

/** The fields of a hook that callers set, without those of the service. */
export type HookContent = Pick<
  Hook,
  | 'event'
  | 'enable'
  | 'description'
  | 'action'
  | 'fields'
  | 'map'
  | 'filter'
  | 'headers'
  | 'auth'
  | 'customBody'
  | 'rawBody'
  | 'rawSubstitution'
  | 'retries'
  | 'delay'
>

/** Returns a hook as it is kept, of an input without a broken rule: what was left out has its default. */
export function hookContent(input: HookInput): HookContent {
  return {
    event: input.event,
    enable: input.enable ?? true,
    description: input.description ?? '',
    action: { type: 'web', method: normalMethod(input.action.method), url: input.action.url },
    fields: input.fields ?? [],
    map: input.map ?? {},
    filter: input.filter ?? {},
    headers: input.headers ?? {},
    auth: authWithDefaults(input.auth ?? {}),
    customBody: input.customBody ?? false,
    rawBody: input.rawBody ?? '',
    ...(input.rawSubstitution === true ? { rawSubstitution: true } : {}),
    retries: input.retries ?? usualRetries,
    ...(input.delay === undefined ? {} : { delay: input.delay }),
  }
}

function authWithDefaults(auth: HookAuthInput): HookAuth {
  return {
    enabled: auth.enabled ?? false,
    url: auth.url ?? '',
    method: normalMethod(auth.method ?? 'GET'),
    headers: auth.headers ?? {},
    map: auth.map ?? {},
    cookie: auth.cookie ?? false,
  }
}

/**
 * Returns the next version of a hook, with another content. Id, domain, secrets, age and speed stay. Its failures are
 * counted anew, and why the platform switched it off is forgotten once it is on again.
 */
export function nextVersion(stored: Hook, content: HookContent): Hook {
  const { id, domain, secrets, createdAt, version, disabledReason, noticeDue, lateAt } = stored
  return {
    ...content,
    id,
    domain,
    secrets,
    createdAt,
    version: version + 1,
    ...(lateAt === undefined ? {} : { lateAt }),
    ...(content.enable || disabledReason === undefined ? {} : { disabledReason }),
    ...(content.enable || noticeDue === undefined ? {} : { noticeDue }),
  }
}

/** Throws `invalid_field` with every problem, when there is one. */
export function refuseProblems(problems: readonly FieldProblem[]): void {
  const [first] = problems
  if (first === undefined) return
  throw new DomainError('invalid_field', `${first.field}: ${first.problem}`, { details: problems })
}
