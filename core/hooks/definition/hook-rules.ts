import type { FieldProblem } from '../../errors.ts'
import { eventNames, isEventName } from '../../events/catalogue.ts'
import { didYouMean } from '../../requests/nearest.ts'
import type { HookFilter } from './hook.ts'
import { headerProblems } from './header-rules.ts'
import { isStorableNumber } from './event-fields.ts'
import type { HookAuthInput, HookInput } from './hook-input.ts'
import { maxPatternLength, type PatternCompiler, readPattern } from '../../requests/pattern.ts'
import { type AddressGuard, urlProblem } from '../../requests/target-url.ts'

/** The judges that the rules need: which addresses may be reached, and which patterns the matcher knows. */
export interface HookJudges {
  readonly guard: AddressGuard
  readonly compile: PatternCompiler
}

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const methodProblem = 'must be GET, POST, PUT, PATCH or DELETE'

const maxRawBodyBytes = 64 * 1024
const maxEntries = 200
const maxNameLength = 128
const maxTemplateLength = 2048

/** Returns the name of a method as it is stored: upper case. */
export function normalMethod(method: string): string {
  return method.toUpperCase()
}

/** Returns every rule of the contract that a hook breaks, each with its field; none for a valid hook. */
export function hookProblems(input: HookInput, judges: HookJudges): FieldProblem[] {
  return [
    ...actionProblems(input, judges),
    ...headerProblems(input.headers ?? {}, 'headers'),
    ...contentTypeProblems(input.headers ?? {}),
    ...mapProblems(input.map ?? {}),
    ...filterProblems(input.filter ?? {}, judges.compile),
    ...authProblems(input.auth ?? {}, judges.guard),
    ...bodyProblems(input),
  ]
}

function problemIf(problem: string | false | undefined, field: string): FieldProblem[] {
  return problem === undefined || problem === false ? [] : [{ field, problem }]
}

function actionProblems({ event, action }: HookInput, { guard }: HookJudges): FieldProblem[] {
  return [
    ...problemIf(
      !isEventName(event) &&
        `must be an event of the catalogue, or CUSTOM-> and a subclass such as svc::user_create${didYouMean(event, eventNames())}`,
      'event',
    ),
    ...problemIf(!methods.has(normalMethod(action.method)) && methodProblem, 'action.method'),
    ...problemIf(urlProblem(action.url, guard), 'action.url'),
  ]
}

/** The Content-Type decides how values are escaped in the body: no value may decide on it. */
function contentTypeProblems(headers: Readonly<Record<string, string>>): FieldProblem[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    problemIf(
      name.toLowerCase() === 'content-type' && value.includes('${') && 'must not hold a substitution',
      `headers.${name}`,
    ),
  )
}

function mapProblems(map: Readonly<Record<string, string>>): FieldProblem[] {
  return nameProblems(Object.keys(map), Object.entries(map).flat(), 'map')
}

/** In the data of a pre-request only the keys are names: the values are templates. */
function authMapProblems(map: Readonly<Record<string, string>>): FieldProblem[] {
  return [
    ...nameProblems(Object.keys(map), Object.keys(map), 'auth.map'),
    ...Object.entries(map).flatMap(([name, template]) =>
      problemIf(
        template.length > maxTemplateLength && `must have at most ${maxTemplateLength} characters`,
        `auth.map.${name}`,
      ),
    ),
  ]
}

function nameProblems(keys: readonly string[], names: readonly string[], field: string): FieldProblem[] {
  return [
    ...problemIf(keys.length > maxEntries && `must have at most ${maxEntries} names`, field),
    ...problemIf(
      names.some((name) => name === '' || name.length > maxNameLength) &&
        `must hold names of 1-${maxNameLength} characters`,
      field,
    ),
  ]
}

function filterProblems(filter: Readonly<Record<string, HookFilter>>, compile: PatternCompiler): FieldProblem[] {
  const entries = Object.entries(filter)
  return [
    ...problemIf(entries.length > maxEntries && `must have at most ${maxEntries} names`, 'filter'),
    ...entries.flatMap(([name, { operation, value }]) =>
      problemIf(
        operation === 'reg' &&
          readPattern(String(value), compile) === undefined &&
          `must be a regular expression of at most ${maxPatternLength} characters, /pattern/ with flags of gimy or bare`,
        `filter.${name}.value`,
      ),
    ),
    ...entries.flatMap(([name, { value }]) =>
      problemIf(
        typeof value === 'number' && !isStorableNumber(value) && 'must not be beyond 1e-130 and 1e125',
        `filter.${name}.value`,
      ),
    ),
  ]
}

function authProblems(auth: HookAuthInput, guard: AddressGuard): FieldProblem[] {
  const url = auth.url ?? ''
  const method = normalMethod(auth.method ?? 'GET')
  return [
    ...problemIf(auth.enabled === true && url === '' && 'must be given when auth is enabled', 'auth.url'),
    ...problemIf(url !== '' && urlProblem(url, guard), 'auth.url'),
    ...problemIf(!methods.has(method) && methodProblem, 'auth.method'),
    ...headerProblems(auth.headers ?? {}, 'auth.headers'),
    ...authMapProblems(auth.map ?? {}),
  ]
}

function bodyProblems({ customBody, rawBody }: HookInput): FieldProblem[] {
  return [
    ...problemIf(customBody === true && rawBody === undefined && 'must be given when customBody is true', 'rawBody'),
    ...problemIf(
      utf8Length(rawBody ?? '') > maxRawBodyBytes && `must have at most ${maxRawBodyBytes} bytes`,
      'rawBody',
    ),
  ]
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
