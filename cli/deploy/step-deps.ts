import { subject } from '../document/explain.ts'
import { DocumentError } from '../document/model.ts'
import { comparable } from '../document/secrets.ts'
import type { RecordKind, Records, Step, StepOf } from '../document/steps.ts'
import type { FoundDomain, Target } from './read-domain.ts'
import type { SecretSource } from './secret-source.ts'

/** The dependencies of a step. */
export interface StepDeps extends Target {
  readonly secrets: SecretSource
  readonly found: FoundDomain
  readonly taken: Set<string>
}

/** Throws a {@link DocumentError} if a record is not as a step expects it. */
export function requireBefore<K extends RecordKind>(step: StepOf<K>, record: Records[K] | null): void {
  if (comparable(step.kind, record) === comparable(step.kind, step.before)) return
  throw new DocumentError(`${subject(step as Step)} changed since it was planned, and stays as it is: plan again`)
}
