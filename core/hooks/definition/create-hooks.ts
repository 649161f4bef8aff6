import { DomainError, type FieldProblem } from '../../errors.ts'
import type { SecretBox } from '../../secrets.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import type { Clock, Randomness } from '../../time.ts'
import { newRecordId } from '../../record-id.ts'
import { hookContent, refuseProblems } from './hook-content.ts'
import type { HookInput } from './hook-input.ts'
import { type HookJudges, hookProblems } from './hook-rules.ts'
import { encodeSecret, newSecret, secretPurpose } from './signing.ts'

const maxHooks = 100

/** Hooks that were made, and the secret of each: shown to the caller now and never again. */
export interface CreatedHooks {
  readonly hooks: readonly Hook[]
  /** Hook id to `whsec_` and base64. */
  readonly secrets: Readonly<Record<string, string>>
}

export interface HookCreation {
  readonly hooks: Pick<HookStore, 'create'>
  readonly secretBox: Pick<SecretBox, 'seal'>
  readonly clock: Clock
  readonly random: Randomness
  readonly judges: HookJudges
}

/**
 * Makes hooks in a domain, all of them or none. Throws `invalid_field` with every broken rule (of a list, the field
 * names the hook), and `conflict` when the domain would have more than {@link maxHooks}.
 */
export async function createHooks(
  tools: HookCreation,
  domain: string,
  input: HookInput | readonly HookInput[],
): Promise<CreatedHooks> {
  const inputs = toList(input)
  refuseBroken(inputs, Array.isArray(input), tools.judges)
  const hooks: Hook[] = []
  const secrets: Record<string, string> = {}
  for (const one of inputs) {
    const id = newRecordId(tools.random)
    const secret = newSecret(tools.random)
    secrets[id] = encodeSecret(secret)
    const sealed = await tools.secretBox.seal(secret, secretPurpose(domain, id))
    hooks.push({ ...hookContent(one), id, domain, secrets: [{ sealed }], createdAt: tools.clock.now(), version: 1 })
  }
  if (await tools.hooks.create(hooks, maxHooks)) return { hooks, secrets }
  throw new DomainError('conflict', `a domain has at most ${maxHooks} hooks`)
}

function toList(input: HookInput | readonly HookInput[]): readonly HookInput[] {
  return 'event' in input ? [input] : input
}

function refuseBroken(inputs: readonly HookInput[], isList: boolean, judges: HookJudges): void {
  const problems = inputs.flatMap((input, index): FieldProblem[] =>
    hookProblems(input, judges).map(({ field, problem }) => ({
      field: isList ? `[${index}].${field}` : field,
      problem,
    })),
  )
  refuseProblems(problems)
}
