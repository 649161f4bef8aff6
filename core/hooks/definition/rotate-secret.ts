import { untilDone } from '../../concurrency/retry.ts'
import type { SecretBox } from '../../secrets.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook, HookSecret } from './hook.ts'
import type { Clock, Randomness } from '../../time.ts'
import { newRecordId } from '../../record-id.ts'
import { hookContent, nextVersion } from './hook-content.ts'
import { type HookName, readHook } from './read-hook.ts'
import { encodeSecret, newSecret, secretPurpose } from './signing.ts'

/** How long a replaced secret signs together with its successor, from the contract. */
const overlapMs = 24 * 3_600_000

export interface SecretRotation {
  readonly hooks: Pick<HookStore, 'read' | 'replace'>
  readonly secretBox: Pick<SecretBox, 'seal'>
  readonly clock: Clock
  readonly random: Randomness
}

/** A new secret, shown to the caller now and never again. */
export interface RotatedSecret {
  readonly hook: Hook
  /** `whsec_` and base64. */
  readonly secret: string
  /** Until when the previous secret signs as well, epoch milliseconds. */
  readonly previousUntil: number
}

/**
 * Gives a hook a new signing secret; the previous one signs as well for {@link overlapMs} more. No more than these two
 * sign: a further rotation within that time ends the older one at once. A repetition of the same rotation (of the
 * same randomness) changes nothing and answers the same. Throws `not_found`.
 */
export async function rotateSecret(tools: SecretRotation, name: HookName): Promise<RotatedSecret> {
  const { hooks, secretBox, clock, random } = tools
  const id = newRecordId(random)
  const secret = newSecret(random)
  const shown = encodeSecret(secret)
  const sealed = await secretBox.seal(secret, secretPurpose(name.domain, name.id))
  return untilDone(async () => {
    const stored = await readHook(hooks, name)
    const until = clock.now() + overlapMs
    if (stored.secrets[0]?.id === id) {
      return { hook: stored, secret: shown, previousUntil: stored.secrets[1]?.until ?? until }
    }
    const [current] = stored.secrets
    const secrets: HookSecret[] = [{ id, sealed }, ...(current === undefined ? [] : [{ ...current, until }])]
    const hook = { ...nextVersion(stored, hookContent(stored)), secrets }
    return (await hooks.replace(hook)) ? { hook, secret: shown, previousUntil: until } : undefined
  })
}
