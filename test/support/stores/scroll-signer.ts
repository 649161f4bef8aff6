import { createHmac } from 'node:crypto'
import type { ScrollSigner } from '../../../core/cdr/search/scroll.ts'

/** Signs with a key that every signer of tests has. */
export function signerForTests(): ScrollSigner {
  const sign = (text: string) => createHmac('sha256', 'a key for tests').update(text).digest('base64url')
  return {
    async sign(text) {
      return sign(text)
    },
    async isSigned(text, signature) {
      return sign(text) === signature
    },
  }
}
