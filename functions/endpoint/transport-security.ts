import type { Answer } from './answer.ts'

/** A year, in seconds: the least that browsers' own lists ask for. */
const maxAgeSeconds = 31_536_000

/**
 * Adds `Strict-Transport-Security` to an answer of a service that is reached over TLS, so that browsers never fall back
 * to plain HTTP. Over plain HTTP (a laptop) the header must not be sent (RFC 6797, section 7.2), and the answer stays.
 */
export function withTransportSecurity(answer: Answer, publicUrl: string): Answer {
  if (!publicUrl.startsWith('https://')) return answer
  const headers = { ...answer.headers, 'Strict-Transport-Security': `max-age=${maxAgeSeconds}` }
  return { ...answer, headers }
}
