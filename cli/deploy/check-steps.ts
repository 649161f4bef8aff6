import { CallplaneError } from '../../client/index.ts'
import { subject } from '../document/explain.ts'
import { DocumentError } from '../document/model.ts'
import type { Step } from '../document/steps.ts'
import { checkOwnAccount } from './own-account.ts'
import type { Target } from './read-domain.ts'
import { accountBody, assignmentsBetween, emailBody, gatewayBody, hookBody, routeBody } from './request-bodies.ts'
import { type SecretSource, requirePassword } from './secret-source.ts'

/** Stands for each secret of the environment while nothing is changed. */
const placeholders: SecretSource = { env: new Proxy({}, { get: () => 'placeholder' }) }

/**
 * Lets the platform judge what it can judge without a change: the patterns and steps of routes, and hooks. Throws a
 * {@link DocumentError} for the first one that it refuses, and for a change of the user's own account that it would
 * refuse.
 */
export async function checkSteps(target: Target, steps: readonly Step[]): Promise<void> {
  await checkOwnAccount(target, { steps })
  for (const step of steps) {
    await judge(step, target).catch((error: unknown) => {
      if (!(error instanceof CallplaneError)) throw error
      // Without the permission to simulate, the step itself is judged.
      if (error.status === 403) return
      if (error.status !== 400) throw error
      const problems = error.details.map(({ field, problem }) => `${field.replace(/^routes\[0\]\./, '')}: ${problem}`)
      throw new DocumentError(`${subject(step)}: ${problems.join('; ') || error.message}`)
    })
  }
}

async function judge({ kind, after }: Step, { client, domain, signal }: Target): Promise<void> {
  if (after === null) return
  const common = { query: { domain }, signal }
  if (kind === 'hook') await client.call('dryRunHook', { ...common, body: hookBody(after, null, placeholders) })
  if (kind !== 'route' && kind !== 'publicRoute') return
  // The gateway may be made by the same plan.
  const { gateway: _gateway, ...route } = { gateway: undefined, ...after }
  await client.call('simulateDefaultRoutes', { ...common, body: { number: '0', routes: [routeBody(route)] } })
}

/**
 * Throws a {@link DocumentError} for the first step whose secrets cannot be had: a reference that is not set, or a new
 * account without a password.
 */
export function requireSecrets(steps: readonly Step[], secrets: SecretSource): void {
  for (const step of steps) {
    try {
      readSecrets(step, secrets)
    } catch (error) {
      if (error instanceof DocumentError) throw new DocumentError(`${subject(step)}: ${error.message}`)
      throw error
    }
  }
}

/** Returns the names of the environment variables that steps will read, sorted. Their values are not read. */
export function variablesOf(steps: readonly Step[]): readonly string[] {
  const names = new Set<string>()
  const env = new Proxy({}, { get: (_env, name) => (names.add(String(name)), 'placeholder') })
  for (const step of steps) readSecrets(step, { env, keep: () => {} })
  return [...names].sort()
}

function readSecrets(step: Step, secrets: SecretSource): void {
  if (step.after === null) return
  if (step.kind === 'account') {
    if (step.before === null) requirePassword(step.name, step.after, secrets)
    accountBody({ ...step.after, parameters: {} }, secrets)
    assignmentsBetween(step.before?.parameters ?? {}, step.after.parameters, secrets)
  }
  if (step.kind === 'parameters' || step.kind === 'variables')
    assignmentsBetween(step.before ?? {}, step.after, secrets)
  if (step.kind === 'email') emailBody(step.after, step.before, secrets)
  if (step.kind === 'gateway') gatewayBody(step.after, step.before, secrets)
  if (step.kind === 'hook') hookBody(step.after, step.before, secrets)
}
