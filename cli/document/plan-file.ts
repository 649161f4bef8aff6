import { type DomainState, DocumentError } from './model.ts'
import { type Plan, planOf } from './plan.ts'

const format = 1

/** Writes a plan as a file: JSON, without secrets. */
export function writePlan({ base, target, digest }: Plan): string {
  return `${JSON.stringify({ callplanePlan: format, digest, base, target }, undefined, 1)}\n`
}

/** Returns a file's plan; `undefined` for a file of another kind. Throws a {@link DocumentError} if it was edited. */
export function readPlan(text: string, file: string): Plan | undefined {
  if (!text.startsWith('{') || !text.slice(0, 100).includes('"callplanePlan"')) return undefined
  try {
    const read: unknown = JSON.parse(text)
    if (isPlan(read) && read.callplanePlan === format) {
      const plan = planOf(read.base, read.target)
      if (plan.digest === read.digest) return plan
    }
  } catch (cause) {
    if (cause instanceof DocumentError) throw cause
  }
  throw new DocumentError(`${file}: is a damaged plan: plan again`)
}

interface PlanFile {
  readonly callplanePlan: number
  readonly digest: string
  readonly base: DomainState
  readonly target: DomainState
}

function isPlan(value: unknown): value is PlanFile {
  return typeof value === 'object' && value !== null && 'digest' in value && 'base' in value && 'target' in value
}
