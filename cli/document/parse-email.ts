import type { EmailRecord } from './model.ts'
import { requireReference } from './parse-secret.ts'
import type { Place } from './yaml-place.ts'

/** The ports of mail submission with TLS from the first byte, and with STARTTLS. */
const [tlsPort, startTlsPort] = [465, 587]

const names = [
  'from',
  'description',
  'host',
  'port',
  'secure',
  'debug',
  'rejectUnauthorized',
  'allowPlaintextLogin',
  'user',
  'pass',
] as const

/** Reads mail settings, with the platform's defaults for what is left out. */
export function readEmail(place: Place): EmailRecord {
  const given = place.members(names)
  if (given.host === undefined) throw place.error('must have a host')
  const secure = given.secure?.flag() ?? true
  const pass = given.pass?.text()
  if (given.pass !== undefined && pass !== undefined) requireReference(given.pass, pass)
  const user = given.user?.text()
  return {
    from: given.from?.text() ?? '',
    description: given.description?.text() ?? '',
    host: given.host.text(),
    port: given.port?.wholeNumber() ?? (secure ? tlsPort : startTlsPort),
    secure,
    debug: given.debug?.flag() ?? false,
    rejectUnauthorized: given.rejectUnauthorized?.flag() ?? true,
    allowPlaintextLogin: given.allowPlaintextLogin?.flag() ?? false,
    ...(user === undefined || user === '' ? {} : { user }),
    ...(pass === undefined || pass === '' ? {} : { pass }),
  }
}
