import { createHash } from 'node:crypto'

/**
 * Returns the digest that the engine checks phones and voicemail PINs against. SIP digest authentication (RFC 2617)
 * requires MD5.
 */
export function a1Hash(login: string, domain: string, password: string): string {
  return createHash('md5').update(`${login}:${domain}:${password}`).digest('hex')
}
