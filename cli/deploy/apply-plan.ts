import { subject } from '../document/explain.ts'
import { diff } from '../document/diff.ts'
import { DocumentError } from '../document/model.ts'
import { normalForm } from '../document/normal-form.ts'
import { type Plan, checkUnchanged } from '../document/plan.ts'
import { masked } from '../document/secrets.ts'
import type { Step } from '../document/steps.ts'
import { requireSecrets } from './check-steps.ts'
import { type FoundDomain, type Target, readDomain } from './read-domain.ts'
import type { SecretSource } from './secret-source.ts'
import { takeStep } from './take-step.ts'

/** The dependencies of carrying out a plan. */
export interface ApplyDeps extends Target {
  readonly secrets: SecretSource
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly report: (step: Step, number: number, count: number) => void
}

/** Reads a domain in the form in which it is compared, but with the numbers of blacklists as they are stored. */
export async function findDomain(target: Target, now: number): Promise<FoundDomain> {
  const found = await readDomain(target)
  return { ...found, state: masked(normalForm(found.state, now, {})) }
}

/**
 * Carries out what is left of a plan on a domain as it was found, and returns how many steps that were. Throws a
 * {@link DocumentError} before the first step if the domain is not as the plan knows it or a secret is missing, and
 * after the last one if it did not become what the document says.
 */
export async function applyPlan(plan: Plan, found: FoundDomain, deps: ApplyDeps): Promise<number> {
  const state = normalForm(found.state, deps.now(), plan.target.parameters)
  checkUnchanged(plan, state)
  const steps = diff(state, plan.target)
  requireSecrets(steps, deps.secrets)
  const taken = new Set<string>()
  for (const [index, step] of steps.entries()) {
    if (deps.signal.aborted) {
      throw new DocumentError(`interrupted: ${index} of ${steps.length} steps are done, and apply goes on from here`)
    }
    deps.report(step, index + 1, steps.length)
    await takeStep(step, { ...deps, found, taken }).catch((error: unknown) => {
      throw new StepFailure(step, index, steps.length, error)
    })
  }
  if (steps.length > 0) await verify(plan, deps)
  return steps.length
}

async function verify({ target }: Plan, deps: ApplyDeps): Promise<void> {
  const { state } = await findDomain(deps, deps.now())
  const now = deps.now()
  const [first] = diff(normalForm(state, now, target.parameters), normalForm(target, now))
  if (first === undefined) return
  throw new DocumentError(
    `every step was taken, but ${subject(first)} is not as the document says: the platform keeps it in another form, or somebody changed it; plan again`,
  )
}

/** A step that failed. What was done before it stays, and the same plan can be applied again. */
class StepFailure extends Error {
  override readonly name = 'StepFailure'

  constructor(step: Step, done: number, count: number, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    super(
      `step ${done + 1} of ${count}, ${subject(step)}: ${problem}; ${done} steps are done, and apply goes on from here`,
      {
        cause,
      },
    )
  }
}
