import { createHash } from 'node:crypto'

/**
 * Returns the digest that the engine checks phones and voicemail PINs against. Digest authentication of SIP (RFC 2617)
 * is MD5 by its rules.
 */
export function a1Hash(login: string, domain: string, password: string): string {
  return createHash('md5').update(`${login}:${domain}:${password}`).digest('hex')
}
