import { DocumentError } from '../document/model.ts'
import type { Plan } from '../document/plan.ts'
import type { Target } from './read-domain.ts'

/**
 * Throws a {@link DocumentError} for a plan that removes the user's own account or changes its role. The platform
 * refuses both, and a plan should not stop half-way.
 */
export async function checkOwnAccount(
  { client, domain, signal }: Target,
  { steps }: Pick<Plan, 'steps'>,
): Promise<void> {
  const { id } = await client.call('whoAmI', { signal })
  for (const { kind, name, before, after } of steps) {
    if (kind !== 'account' || before === null) continue
    if (`${name}@${domain}`.toLowerCase() !== id.toLowerCase()) continue
    if (after?.role === before.role) continue
    throw new DocumentError(`the plan removes your own account ${name} or changes its role: apply it as another user`)
  }
}
