import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { keys } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/secrets.ts'
import { type AdapterContext, required } from '../context.ts'
import { callService } from './call-service.ts'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** How long an opened secret stays in memory, so that a busy hook does not ask the key service for each delivery. */
const KEPT_MS = 5 * 60_000

const KEPT_SECRETS = 1_000

const title = 'the key service'

/** Seals with a key that never leaves the key service; the purpose is part of what is authenticated. */
export function kmsSecretBox(context: AdapterContext): SecretBox {
  const opened = new Map<string, { readonly plain: Uint8Array; readonly openedAt: number }>()
  const keyFor = (purpose: string) => ({
    KeyId: required(context, keys.seal.variable),
    EncryptionContext: { purpose },
  })

  return {
    async seal(plain, purpose) {
      const command = new EncryptCommand({ ...keyFor(purpose), Plaintext: plain })
      const { CiphertextBlob } = await callService(title, () => kmsClient(context).send(command))
      return Buffer.from(given(CiphertextBlob)).toString('base64')
    },
    async open(sealed, purpose) {
      const id = JSON.stringify([purpose, sealed])
      const known = opened.get(id)
      if (known !== undefined && context.clock.now() - known.openedAt < KEPT_MS) return known.plain.slice()
      const command = new DecryptCommand({ ...keyFor(purpose), CiphertextBlob: Buffer.from(sealed, 'base64') })
      const { Plaintext } = await callService(title, () => kmsClient(context).send(command))
      const plain = new Uint8Array(given(Plaintext))
      if (opened.size >= KEPT_SECRETS) opened.clear()
      opened.set(id, { plain, openedAt: context.clock.now() })
      return plain.slice()
    },
  }
}

function given(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes !== undefined) return bytes
  throw new DomainError('internal_error', 'the key service answered in another form')
}

/** The client of the key service. */
export const kmsClient = oncePerEnvironment((context) =>
  withoutLogging(new KMSClient(clientOptions(context, { name: 'kms', endpointVariable: environment.kmsEndpoint }))),
)
