import type { Hook, HookSecret } from './hook.ts'
import type { Randomness } from '../../time.ts'

/** The length of a signing secret, from the contract. */
const secretBytes = 32

/** HMAC-SHA256 of a text (as UTF-8) under a key, in base64. */
export type HmacSha256 = (key: Uint8Array, text: string) => string

/** Returns a signing secret that cannot be guessed. */
export function newSecret(random: Randomness): Uint8Array {
  return random.bytes(secretBytes)
}

/** Returns a secret as its owner sees it, in the form of Standard Webhooks: `whsec_` and base64. */
export function encodeSecret(secret: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...secret))}`
}

/** Returns the context that a hook's secrets are sealed for: none opens as another's. */
export function secretPurpose(domain: string, hookId: string): string {
  return `hook-secret:${domain}:${hookId}`
}

/** Returns the secrets that sign at a time (epoch milliseconds), newest first. */
export function signingSecrets(hook: Pick<Hook, 'secrets'>, now: number): HookSecret[] {
  return hook.secrets.filter(({ until }) => until === undefined || until > now)
}

/**
 * Returns the headers of Standard Webhooks for one attempt: the delivery's id, the attempt's time in epoch seconds, and
 * a signature over `id.timestamp.body` by each key, newest first. A request without a body signs the empty text.
 */
export function signatureHeaders(
  message: { readonly id: string; readonly at: number; readonly body: string },
  keys: readonly Uint8Array[],
  hmac: HmacSha256,
): Record<string, string> {
  const timestamp = String(Math.floor(message.at / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${hmac(key, signed)}`).join(' '),
  }
}
