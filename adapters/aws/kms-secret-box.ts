import * as z from 'zod/mini'
import { keys } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/auth/secrets.ts'
import { type AdapterContext, required } from '../context.ts'
import { awsJson, services } from './aws-json.ts'

/** How long an opened secret stays in memory, so that a busy hook does not ask the key service for each delivery. */
const KEPT_MS = 5 * 60_000

/** How many opened secrets stay in memory. */
const KEPT_SECRETS = 1_000

const sealedAnswer = z.object({ CiphertextBlob: z.string() })
const openedAnswer = z.object({ Plaintext: z.string() })

/** Seals with a key that never leaves the key service; the purpose is part of what is authenticated. */
export function kmsSecretBox(context: AdapterContext): SecretBox {
  const opened = new Map<string, { readonly plain: Uint8Array; readonly openedAt: number }>()
  const call = (action: 'Encrypt' | 'Decrypt', purpose: string, input: object) => {
    const KeyId = required(context, keys.seal.variable)
    return awsJson(context, services.kms, action, { KeyId, EncryptionContext: { purpose }, ...input })
  }

  return {
    async seal(plain, purpose) {
      const input = { Plaintext: Buffer.from(plain).toString('base64') }
      return parsed(sealedAnswer, await call('Encrypt', purpose, input)).CiphertextBlob
    },
    async open(sealed, purpose) {
      const id = JSON.stringify([purpose, sealed])
      const known = opened.get(id)
      if (known !== undefined && context.clock.now() - known.openedAt < KEPT_MS) return known.plain.slice()
      const answer = parsed(openedAnswer, await call('Decrypt', purpose, { CiphertextBlob: sealed }))
      const plain = new Uint8Array(Buffer.from(answer.Plaintext, 'base64'))
      if (opened.size >= KEPT_SECRETS) opened.clear()
      opened.set(id, { plain, openedAt: context.clock.now() })
      return plain.slice()
    },
  }
}

function parsed<T extends z.ZodMiniType>(schema: T, answer: unknown): z.infer<T> {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  throw new DomainError('internal_error', 'the key service answered in another form', { cause: result.error })
}
