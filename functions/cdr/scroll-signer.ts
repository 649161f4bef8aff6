import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import type { ScrollSigner } from '../../core/cdr/search/scroll.ts'
import type { SecretReader } from '../../core/secrets.ts'
import { sameText } from '../endpoint/token-text.ts'

/** Signs scroll ids with the deployment's key for them. */
export function scrollSigner(secrets: Pick<SecretReader, 'cursorKey'>): ScrollSigner {
  const sign = async (text: string) => hmacSha256(new TextEncoder().encode(await secrets.cursorKey()), text)
  return { sign, isSigned: async (text, signature) => sameText(await sign(text), signature) }
}
