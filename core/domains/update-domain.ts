import { mergeAssignments } from '../accounts/assignments.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import { DomainError } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import { type SettingKind, checkCount, readSettings } from './domain-settings.ts'
import { type DomainDetail, domainDetail } from './read-domain.ts'

/** The ports of {@link updateDomain}. */
export type UpdateDomainPorts = PortsOf<{
  readonly domains: readonly ['read', 'replaceSettings']
  readonly presence: readonly ['list']
}>

/** One setting as a request gives it: `name=value`, or the two apart. */
export type SettingInput = string | { readonly key: string; readonly value: string }

/** Tries of a merge that somebody else forestalls. */
const maxTries = 4

/**
 * Lays settings over those of a domain, as accounts do: a value sets its name, an empty one removes it, all else stays.
 * Throws `invalid_field` for what no domain may set, `bad_request` for nothing, `not_found`, and `conflict` when it is
 * forestalled for long.
 */
export async function updateDomain(
  ports: UpdateDomainPorts,
  { name, kind, items, now }: { name: string; kind: SettingKind; items: readonly SettingInput[]; now: number },
): Promise<DomainDetail> {
  const assignments = readSettings(kind, items.map(textOf), '')
  if (assignments.length === 0) throw new DomainError('bad_request', 'give at least one "name=value"')
  for (let tries = 0; tries < maxTries; tries += 1) {
    const previous = await ports.domains.read(name)
    if (previous === undefined) throw noSuchDomain()
    const merged = mergeAssignments(previous[kind], assignments)
    checkCount(merged, kind)
    const domain = { ...previous, [kind]: merged, version: previous.version + 1 }
    if (await ports.domains.replaceSettings(domain)) return domainDetail(ports, domain, now)
  }
  throw new DomainError('conflict', 'the domain is being changed: try again')
}

function textOf(item: SettingInput): string {
  return typeof item === 'string' ? item : `${item.key}=${item.value}`
}
