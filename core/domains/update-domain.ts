import { mergeAssignments } from '../client-names/assignments.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type ReportUnsent, notifyEngine } from '../commands/notify-engine.ts'
import { DomainError } from '../errors.ts'
import type { DomainStore } from './domain-store.ts'
import type { PresenceStore } from '../accounts/presence.ts'
import { type SettingKind, checkCount, readSettings } from './domain-settings.ts'
import { type DomainView, type ViewContext, domainView } from './read-domain.ts'

/** The ports of {@link updateDomain}. */
export interface UpdateDomainPorts {
  readonly domains: Pick<DomainStore, 'read' | 'replaceSettings'>
  readonly presence: Pick<PresenceStore, 'list'>
  readonly engine: Pick<CallEngine, 'send'>
}

/** One setting as a request gives it: `name=value`, or the two apart. */
export type SettingInput = string | { readonly key: string; readonly value: string }

/** The settings to change, and their domain. */
export interface SettingsChange extends ViewContext {
  readonly name: string
  readonly kind: SettingKind
  readonly items: readonly SettingInput[]
  readonly isRoot: boolean
  readonly precondition: Precondition
  readonly requestId: string | undefined
  readonly reportUnsent: ReportUnsent
}

/**
 * Merges settings into those of a domain, as accounts do: a value sets its name, an empty value removes it, everything
 * else stays. Concurrent changes are all kept. Directory answers contain these settings, so engines are ordered to
 * flush those that they keep; an order that cannot be queued is reported and does not fail the change. Throws
 * `invalid_field` for forbidden settings, `permission_denied` for those of root, `bad_request` for an empty change,
 * `not_found` and `precondition_failed`.
 */
export async function updateDomain(
  ports: UpdateDomainPorts,
  { name, kind, items, isRoot, precondition, now, clientVariables, requestId, reportUnsent }: SettingsChange,
): Promise<DomainView> {
  checkCount(items.length, kind)
  const assignments = readSettings(kind, items.map(textOf), {
    field: '',
    added: clientVariables,
    isRoot,
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
  await notifyEngine(ports.engine, [{ kind: 'flush-directory' }], { domain: name, requestId, reportUnsent })
  return domainView(ports, changed, { now, clientVariables })
}

function textOf(item: SettingInput): string {
  return typeof item === 'string' ? item : `${item.key}=${item.value}`
}
