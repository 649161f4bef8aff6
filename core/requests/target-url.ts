/** Judges IP addresses that a hook wants to reach. */
export interface AddressGuard {
  /** Whether an IPv4 or IPv6 address in text form may be connected to. */
  permits(address: string): boolean
}

const maxUrlLength = 2048

/**
 * Ports of other services that a forged request could harm (SSH, SMTP, DNS, remote desktop, the event socket), and
 * port 0, which nothing can listen on.
 */
export const refusedPorts: ReadonlySet<string> = new Set(['0', '22', '25', '53', '3389', '8021'])

/** One fixed sentence for every forbidden target: it does not tell which networks exist here. */
export const forbiddenTarget = 'must not point at a local, private or reserved address'

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
const localName =
  /^(?:localhost|metadata|instance-data|(?:.+\.)?(?:localhost|localdomain|local|internal|home\.arpa|lan))$/

function literalAddress(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return ipv4.test(hostname) ? hostname : undefined
}

/** `localhost` means loopback everywhere, so it is fine where loopback is. No other local name is ever fine. */
function permitsName(name: string, guard: AddressGuard): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return guard.permits('127.0.0.1') && guard.permits('::1')
  return !localName.test(name)
}

/**
 * Returns the problem of the host of a parsed URL (an IPv6 address in brackets) that is to be reached; `undefined` when
 * there is none.
 */
export function hostProblem(hostname: string, guard: AddressGuard): string | undefined {
  const address = literalAddress(hostname)
  if (address !== undefined) return guard.permits(address) ? undefined : forbiddenTarget
  const name = hostname.replace(/\.$/, '')
  if (name.length === 0 || name.length > 253 || name.split('.').some((label) => label === '' || label.length > 63)) {
    return 'must have a host name of at most 253 characters, 63 between dots'
  }
  return permitsName(name, guard) ? undefined : forbiddenTarget
}

/**
 * Returns the problem of a URL that a hook is to call; `undefined` when there is none. The parsed host is judged, never
 * the text, so that no notation of an address slips through. Names are not resolved: an address that a name leads to is
 * judged when it is connected to.
 */
export function urlProblem(text: string, guard: AddressGuard): string | undefined {
  if (text.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`
  if (/[\s\\]/u.test(text)) return 'must not contain spaces, line ends or back slashes'
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an absolute http or https URL'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not hold user info'
  if (text.includes('#')) return 'must not have a fragment'
  if (refusedPorts.has(url.port)) return `must not use port ${url.port}`
  return hostProblem(url.hostname, guard)
}
