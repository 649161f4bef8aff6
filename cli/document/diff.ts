import { accountSteps } from './account-steps.ts'
import { canonical } from './canonical.ts'
import { type DomainState, type HookRecord, type RoleRecord, type RouteRecord, memberOf } from './model.ts'
import { pairRecords } from './pair-records.ts'
import { comparable } from './secrets.ts'
import type { Records, Step, StepOf, UnnamedKind } from './steps.ts'

/**
 * Returns the steps that lead from one state of a domain to another, in an order in which each is possible. Both states
 * are in normal form. States that differ at most in secrets need none.
 */
export function diff(before: DomainState, after: DomainState): Step[] {
  const roles = roleSteps(before.roles, after.roles)
  const lists = blacklistSteps(before.blacklists, after.blacklists)
  const gateways = gatewaySteps(before.gateways, after.gateways)
  return [
    ...roles.filter((step) => step.after !== null),
    // Numbers that are added are kept in the form of the domain's country.
    ...settingsStep('parameters', before, after),
    ...lists.added,
    ...accountSteps(before.accounts, after.accounts),
    ...settingsStep('variables', before, after),
    ...emailStep(before, after),
    ...gateways.filter((step) => step.after !== null),
    ...unnamedSteps('route', before.routes, after.routes, routeKeys),
    ...unnamedSteps('publicRoute', before.publicRoutes, after.publicRoutes, routeKeys),
    ...unnamedSteps('hook', before.hooks, after.hooks, hookKeys),
    // Records that others may refer to go last.
    ...gateways.filter((step) => step.after === null),
    ...lists.removed,
    ...roles.filter((step) => step.after === null),
  ]
}

const routeKeys = [
  ({ name }: RouteRecord) => name,
  ({ pattern }: RouteRecord) => pattern,
  ({ order }: RouteRecord) => String(order),
]

/** A hook that is paired keeps its signing secret. */
const hookKeys = [
  ({ event, url }: HookRecord) => `${event} ${url}`,
  ({ event, description }: HookRecord) => (description === '' ? null : `${event} ${description}`),
  ({ url }: HookRecord) => url,
]

/** The changes of roles: a parent before its children, and removals the other way round. */
function roleSteps(before: DomainState['roles'], after: DomainState['roles']): StepOf<'role'>[] {
  const changed = parentsFirst(after).flatMap((name): StepOf<'role'>[] => {
    const [old, wanted] = [memberOf(before, name), memberOf(after, name)]
    return canonical(old) === canonical(wanted) ? [] : [{ kind: 'role', name, before: old, after: wanted }]
  })
  const removed = parentsFirst(before)
    .toReversed()
    .filter((name) => memberOf(after, name) === null)
    .map((name): StepOf<'role'> => ({ kind: 'role', name, before: memberOf(before, name), after: null }))
  return [...changed, ...removed]
}

/** Returns role names, each after its parent; roles of a cycle come last, for the platform to refuse. */
function parentsFirst(roles: Readonly<Record<string, RoleRecord>>): string[] {
  const left = new Set(Object.keys(roles).sort())
  const ordered: string[] = []
  for (let count = -1; count !== ordered.length; ) {
    count = ordered.length
    for (const name of left) {
      const parent = memberOf(roles, name)?.parent ?? null
      if (parent !== null && left.has(parent)) continue
      ordered.push(name)
      left.delete(name)
    }
  }
  return [...ordered, ...left]
}

/** A number whose note or end changes is removed and added again. */
function blacklistSteps(before: DomainState['blacklists'], after: DomainState['blacklists']) {
  const added: StepOf<'blacklist'>[] = []
  const removed: StepOf<'blacklist'>[] = []
  for (const list of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [old, wanted] = [memberOf(before, list) ?? {}, memberOf(after, list) ?? {}]
    for (const number of [...new Set([...Object.keys(old), ...Object.keys(wanted)])].sort()) {
      const [entry, next] = [memberOf(old, number), memberOf(wanted, number)]
      if (canonical(entry) === canonical(next)) continue
      const name = `${list}/${number}`
      const target = next === null ? removed : added
      if (entry !== null) target.push({ kind: 'blacklist', name, before: entry, after: null })
      if (next !== null) target.push({ kind: 'blacklist', name, before: null, after: next })
    }
  }
  return { added, removed }
}

function gatewaySteps(before: DomainState['gateways'], after: DomainState['gateways']): StepOf<'gateway'>[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name): StepOf<'gateway'>[] => {
    const [old, wanted] = [memberOf(before, name), memberOf(after, name)]
    const isSame = comparable('gateway', old) === comparable('gateway', wanted)
    return isSame ? [] : [{ kind: 'gateway', name, before: old, after: wanted }]
  })
}

function settingsStep(kind: 'parameters' | 'variables', before: DomainState, after: DomainState): Step[] {
  if (comparable(kind, before[kind]) === comparable(kind, after[kind])) return []
  return [{ kind, name: '', before: before[kind], after: after[kind] }]
}

function emailStep({ email: before }: DomainState, { email: after }: DomainState): Step[] {
  return comparable('email', before) === comparable('email', after) ? [] : [{ kind: 'email', name: '', before, after }]
}

function unnamedSteps<K extends UnnamedKind>(
  kind: K,
  before: readonly Records[K][],
  after: readonly Records[K][],
  keys: readonly ((record: Records[K]) => string | null)[],
): StepOf<K>[] {
  const text = (record: Records[K]) => comparable(kind, record)
  const { pairs, added, removed } = pairRecords(before, after, [text, ...keys])
  const changed = pairs.filter(([old, wanted]) => text(old) !== text(wanted))
  return [
    ...added.map((wanted): StepOf<K> => ({ kind, name: '', before: null, after: wanted })),
    ...changed.map(([old, wanted]): StepOf<K> => ({ kind, name: '', before: old, after: wanted })),
    ...removed.map((old): StepOf<K> => ({ kind, name: '', before: old, after: null })),
  ]
}
