import { mergeAssignments } from '../accounts/assignments.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import { type Precondition, requireMatch } from '../concurrency/precondition.ts'
import { untilDone } from '../concurrency/until-done.ts'
import { DomainError } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import { type SettingKind, checkCount, readSettings } from './domain-settings.ts'
import { type DomainView, type ViewContext, domainView } from './read-domain.ts'

/** The ports of {@link updateDomain}. */
export type UpdateDomainPorts = PortsOf<{
  readonly domains: readonly ['read', 'replaceSettings']
  readonly presence: readonly ['list']
}>

/** One setting as a request gives it: `name=value`, or the two apart. */
export type SettingInput = string | { readonly key: string; readonly value: string }

/** What is set of which domain. */
export interface SettingsChange extends ViewContext {
  readonly name: string
  readonly kind: SettingKind
  readonly items: readonly SettingInput[]
  /** What is demanded of the domain. */
  readonly precondition: Precondition
}

/**
 * Lays settings over those of a domain, as accounts do: a value sets its name, an empty one removes it, all else stays.
 * Changes made at the same time are all kept. Throws `invalid_field` for what no domain may set, `bad_request` for
 * nothing, `not_found` and `precondition_failed`.
 */
export async function updateDomain(
  ports: UpdateDomainPorts,
  { name, kind, items, precondition, now, clientVariables }: SettingsChange,
): Promise<DomainView> {
  checkCount(items.length, kind)
  const assignments = readSettings(kind, items.map(textOf), {
    field: '',
    added: clientVariables,
  })
  if (assignments.length === 0) throw new DomainError('bad_request', 'give at least one "name=value"')
  const changed = await untilDone(async () => {
    const previous = await ports.domains.read(name)
    if (previous === undefined) throw noSuchDomain()
    requireMatch(precondition, previous)
    const merged = mergeAssignments(previous[kind], assignments)
    checkCount(Object.keys(merged).length, kind)
    const domain = { ...previous, [kind]: merged, version: previous.version + 1 }
    return (await ports.domains.replaceSettings(domain)) ? domain : undefined
  })
  return domainView(ports, changed, { now, clientVariables })
}

function textOf(item: SettingInput): string {
  return typeof item === 'string' ? item : `${item.key}=${item.value}`
}
