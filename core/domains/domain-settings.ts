import { type Assignment, readAssignments } from '../client-names/assignments.ts'
import { permissionDenied } from '../access/permission.ts'
import { parametersOfRoot } from '../client-names/domain-parameters.ts'
import { type ClientVariables, servedSettings } from '../client-names/client-names.ts'
import { invalidField } from '../errors.ts'
import type { Domain } from './domain.ts'

/** The kinds of a domain's settings. */
export type SettingKind = 'variables' | 'parameters'

const maxSettings = 100

const places = { variables: 'domainVariables', parameters: 'domainParameters' } as const

/** The rules for the settings of a request. */
export interface SettingRules {
  readonly field: string
  readonly added: ClientVariables
  /** Whether root asks; only root may set some parameters. */
  readonly isRoot: boolean
}

/** Reads a domain's `name=value` items. Throws `invalid_field`, or `permission_denied` for root's parameters. */
export function readSettings(
  kind: SettingKind,
  items: readonly string[] | undefined,
  { field, isRoot, ...rules }: SettingRules,
): Assignment[] {
  const assignments = readAssignments(field, items, { ...rules, place: places[kind] })
  const denied = assignments.find(({ name }) => !isRoot && kind === 'parameters' && parametersOfRoot.has(name))
  if (denied !== undefined) throw permissionDenied(`only root may set ${denied.name}: ask the operator`)
  return assignments
}

/**
 * Returns the settings of a domain, such as `variables.foo`, that clients may not set any more and that the engine is
 * not served.
 */
export function ignoredSettings(domain: Pick<Domain, SettingKind>, added: ClientVariables): string[] {
  const ignored = (kind: SettingKind) =>
    servedSettings(places[kind], domain[kind], { added }).ignored.map((name) => `${kind}.${name}`)
  return [...ignored('variables'), ...ignored('parameters')].sort()
}

/** Refuses more settings than a domain can have, whether they are asked for at once or come together. */
export function checkCount(count: number, kind: SettingKind): void {
  if (count > maxSettings) throw invalidField(kind, `a domain has at most ${maxSettings} of them`)
}
