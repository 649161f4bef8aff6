import { type Assignment, readAssignments } from '../accounts/assignments.ts'
import { isClientParameter, isClientVariable } from '../accounts/setting-names.ts'
import { invalidField } from '../errors.ts'
import { isRetention, retentionDays, retentionParameter } from '../recordings/retention.ts'

/** What of a domain can be set by name. */
export type SettingKind = 'variables' | 'parameters'

/** Settings of one kind that a domain can have. */
const maxSettings = 100

/** Settings of one account, which mean nothing, or would be everybody's secret, on a whole domain. */
const accountOnly: ReadonlySet<string> = new Set(['password', 'role', 'svc-extensions', 'vm-password'])

const isAllowed = {
  variables: isClientVariable,
  parameters: (name: string) => name === retentionParameter || (isClientParameter(name) && !accountOnly.has(name)),
} as const

/** Reads `name=value` items for a domain; `field` is where they stand in the request. Throws `invalid_field`. */
export function readSettings(kind: SettingKind, items: readonly string[] | undefined, field: string): Assignment[] {
  const assignments = readAssignments(field, items, isAllowed[kind])
  for (const { name, value, field } of kind === 'parameters' ? assignments : []) {
    if (name !== retentionParameter || value === '' || isRetention(value)) continue
    throw invalidField(field, `must be a number of days from ${retentionDays.least} to ${retentionDays.most}`)
  }
  return assignments
}

/** Refuses more settings than a domain can have, whether they are asked for at once or come together. */
export function checkCount(count: number, kind: SettingKind): void {
  if (count > maxSettings) throw invalidField(kind, `a domain has at most ${maxSettings} of them`)
}
