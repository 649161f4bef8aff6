import { terminalText } from '../../client/index.ts'
import { canonical } from './canonical.ts'
import { maskedRecord } from './secrets.ts'
import { type Step, changeOf } from './steps.ts'

const namedNumbers = 10

const marks = { add: '+', change: '~', remove: '-' } as const

const kinds: Readonly<Record<Step['kind'], string>> = {
  role: 'role',
  blacklist: 'blacklist',
  account: 'account',
  parameters: 'parameters of the domain',
  variables: 'variables of the domain',
  email: 'email settings',
  gateway: 'gateway',
  route: 'default route',
  publicRoute: 'public route',
  hook: 'hook',
}

/** Returns a plan in lines, in the order of its steps: `+` adds, `~` changes, `-` removes, and details follow. */
export function explain(steps: readonly Step[]): string[] {
  const lines: string[] = []
  const numbers = new Map<string, number>()
  for (const step of steps) {
    const change = changeOf(step)
    if (step.kind === 'blacklist') {
      const key = `${marks[change]} ${listOf(step.name)}`
      const count = (numbers.get(key) ?? 0) + 1
      numbers.set(key, count)
      if (count > namedNumbers) continue
    }
    // Nothing else shows the rights of a new role before they take effect.
    const isDetailed = change === 'change' || (change === 'add' && step.kind === 'role')
    lines.push(`${marks[change]} ${subject(step)}`, ...(isDetailed ? details(step) : []))
  }
  for (const [key, count] of numbers) {
    if (count > namedNumbers)
      lines.push(`${key.slice(0, 1)} blacklist ${key.slice(2)}: ${count - namedNumbers} further numbers`)
  }
  return lines
}

/** Returns the name of a step's record for people. */
export function subject({ kind, name, before, after }: Step): string {
  const record = after ?? before
  if (record !== null && (kind === 'route' || kind === 'publicRoute') && 'pattern' in record)
    return `${kinds[kind]} "${record.name}" (order ${record.order})`
  if (record !== null && kind === 'hook' && 'event' in record) return `hook ${record.event} to ${record.url}`
  if (kind === 'blacklist') return `blacklist ${listOf(name)}: ${name.slice(name.lastIndexOf('/') + 1)}`
  return name === '' ? kinds[kind] : `${kinds[kind]} ${name}`
}

/** Returns how many records a plan adds, changes and removes, in one sentence. */
export function summary(steps: readonly Step[]): string {
  if (steps.length === 0) return 'No changes.'
  const count = (wanted: ReturnType<typeof changeOf>) => steps.filter((step) => changeOf(step) === wanted).length
  return `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove.`
}

function listOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'))
}

function details({ kind, before, after }: Step): string[] {
  const shown = after === null ? null : maskedRecord(kind, after)
  const [old, wanted] = [new Map(leaves(before ?? {})), new Map(leaves(shown))]
  return [...new Set([...old.keys(), ...wanted.keys()])].sort().flatMap((path) => {
    const [from, to] = [old.get(path), wanted.get(path)]
    if (from === to) return []
    // The lines of the members say more than that a map or list was empty.
    if (isEmptied(from, path, wanted) || isEmptied(to, path, old)) return []
    if (from === undefined) return [`    + ${path}: ${to}`]
    return [to === undefined ? `    - ${path}: ${from}` : `    ~ ${path}: ${from} -> ${to}`]
  })
}

function isEmptied(value: string | undefined, path: string, other: ReadonlyMap<string, string>): boolean {
  if (value !== '{}' && value !== '[]') return false
  return [...other.keys()].some((name) => name.startsWith(`${path}.`) || name.startsWith(`${path}[`))
}

function leaves(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, terminalText(canonical(value))]]
  const entries = Object.entries(value)
  if (entries.length === 0) return path === '' ? [] : [[path, Array.isArray(value) ? '[]' : '{}']]
  return entries.flatMap(([name, inner]) =>
    leaves(inner, Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`),
  )
}
