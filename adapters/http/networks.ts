import ipaddr from 'ipaddr.js'

/** The shortest prefixes of networks that callers may name: wider ones would hold the networks of strangers. */
const shortestPrefix = { ipv4: 16, ipv6: 32 } as const

/** All of IPv4 is in the network `::ffff:0:0` with this prefix. */
const mappedPrefix = 96

/** Returns the problem of a network in CIDR notation that a caller names; `undefined` when there is none. */
export function networkProblem(cidr: string): string | undefined {
  if (!ipaddr.isValidCIDR(cidr)) return 'must be a network such as 192.0.2.0/24'
  const [address, prefix] = ipaddr.parseCIDR(cidr)
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  const shortest = isMapped ? mappedPrefix + shortestPrefix.ipv4 : shortestPrefix[address.kind()]
  return prefix < shortest ? `must have a prefix of at least /${shortest}` : undefined
}
