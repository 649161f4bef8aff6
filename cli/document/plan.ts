import { digestOf } from './canonical.ts'
import { checkRoles } from './check-roles.ts'
import { diff } from './diff.ts'
import { subject } from './explain.ts'
import { type DomainDocument, DocumentError, type DomainState, completed } from './model.ts'
import { normalForm } from './normal-form.ts'
import { comparable, kept, masked, secretsIn } from './secrets.ts'
import type { RecordKind, Records, Step, UnnamedKind } from './steps.ts'

/** The way of a domain from what it is to what a document says. */
export interface Plan {
  /** The domain as it was found, with masked secrets. */
  readonly base: DomainState
  /** The domain as it will be, with references to secrets. */
  readonly target: DomainState
  readonly steps: readonly Step[]
  /** Names exactly this plan: 64 hex digits. */
  readonly digest: string
}

/** Returns the plan from a domain to a document. `now` in epoch milliseconds. Throws a {@link DocumentError}. */
export function makePlan(state: DomainState, document: DomainDocument, now: number): Plan {
  if (document.domain !== state.domain) {
    throw new DocumentError(`the document describes ${document.domain}, not ${state.domain}`)
  }
  const target = completed(document, masked(state))
  return planOf(masked(normalForm(state, now, target.parameters)), normalForm(target, now))
}

/** Returns the plan between two states in normal form. */
export function planOf(base: DomainState, target: DomainState): Plan {
  const steps = diff(base, target)
  for (const step of steps) {
    const missing = missingSecret(step)
    if (missing === undefined) continue
    throw new DocumentError(
      `${subject(step)}: ${missing} is "${kept}", but nothing is stored that could be kept: write "\${env:NAME}", or leave it out`,
    )
  }
  checkRoles(target, steps)
  return { base, target, steps, digest: digestOf({ base, target }) }
}

function missingSecret({ kind, before, after }: Step): string | undefined {
  const stored = before === null ? new Map() : secretsIn(kind, before)
  const wanted = after === null ? new Map<string, string>() : secretsIn(kind, after)
  return [...wanted].find(([name, text]) => text === kept && !stored.has(name))?.[0]
}

/**
 * Checks that no other change was made to a domain since it was planned: each record is as it was found, or as a step
 * of the plan makes it, so that an interrupted plan can be carried on. Throws a {@link DocumentError} that names the
 * first record that is neither.
 */
export function checkUnchanged({ base, steps }: Plan, state: DomainState): void {
  const allowed = new Map<string, Set<string>>()
  const allow = (id: string, text: string) => allowed.set(id, (allowed.get(id) ?? new Set()).add(text))
  const found = recordsOf(state)
  for (const { id, text } of recordsOf(base)) allow(id, text)
  for (const { kind, name, before, after } of steps) {
    allow(idOf(kind, name), comparable(kind, before))
    allow(idOf(kind, name), comparable(kind, after))
  }
  for (const { id, text } of found) {
    if (allowed.get(id)?.has(text) !== true) throw changedMeanwhile(id)
  }
  const present = new Set(found.map(({ id }) => id))
  for (const [id, texts] of allowed) {
    if (!isUnnamed(id) && !present.has(id) && !texts.has('null')) throw changedMeanwhile(id)
  }
  checkUnnamed('route', base.routes, state.routes, steps)
  checkUnnamed('publicRoute', base.publicRoutes, state.publicRoutes, steps)
  checkUnnamed('hook', base.hooks, state.hooks, steps)
}

/** Routes and hooks: what no step touches is still there, and what a step changes is there before or after it. */
function checkUnnamed<K extends UnnamedKind>(
  kind: K,
  base: readonly Records[K][],
  found: readonly Records[K][],
  steps: readonly Step[],
): void {
  const left = found.map((record) => comparable(kind, record))
  const own = steps
    .filter((step) => step.kind === kind)
    .map((step) => [comparable(step.kind, step.before), comparable(step.kind, step.after)] as const)
  const touched = own.map(([before]) => before)
  for (const record of base) {
    const text = comparable(kind, record)
    if (!take(touched, text) && !take(left, text)) throw changedMeanwhile(kind)
  }
  for (const [before, after] of own) {
    const isThere = take(left, after) || take(left, before)
    if (!isThere && before !== 'null' && after !== 'null') throw changedMeanwhile(kind)
  }
  if (left.length > 0) throw changedMeanwhile(kind)
}

function take(texts: string[], text: string): boolean {
  const index = texts.indexOf(text)
  if (index !== -1) texts.splice(index, 1)
  return index !== -1
}

function changedMeanwhile(id: string): DocumentError {
  return new DocumentError(`the domain changed since it was planned (${id.replaceAll('\n', ' ').trim()}): plan again`)
}

function isUnnamed(id: string): boolean {
  return id === idOf('route', '') || id === idOf('publicRoute', '') || id === idOf('hook', '')
}

function idOf(kind: RecordKind, name: string): string {
  return `${kind}\n${kind === 'account' ? name.toLowerCase() : name}`
}

function recordsOf(state: DomainState): { readonly id: string; readonly text: string }[] {
  const one = <K extends RecordKind>(kind: K, name: string, record: Records[K] | null) => ({
    id: idOf(kind, name),
    text: comparable(kind, record),
  })
  return [
    ...Object.entries(state.roles).map(([name, record]) => one('role', name, record)),
    ...Object.entries(state.blacklists).flatMap(([list, entries]) =>
      Object.entries(entries).map(([number, record]) => one('blacklist', `${list}/${number}`, record)),
    ),
    ...Object.entries(state.accounts).map(([name, record]) => one('account', name, record)),
    one('parameters', '', state.parameters),
    one('variables', '', state.variables),
    one('email', '', state.email),
    ...Object.entries(state.gateways).map(([name, record]) => one('gateway', name, record)),
    ...state.routes.map((record) => one('route', '', record)),
    ...state.publicRoutes.map((record) => one('publicRoute', '', record)),
    ...state.hooks.map((record) => one('hook', '', record)),
  ]
}
