import ipaddr from 'ipaddr.js'
import type { NetworkRange } from '../../core/gateways/network-claims.ts'

/** The shortest prefixes of networks that callers may name: wider ones would hold the networks of strangers. */
const shortestPrefix = { ipv4: 24, ipv6: 48 } as const

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

/** Returns the addresses of a network in CIDR notation, IPv4 in the form of IPv6; `undefined` for other text. */
export function rangeOf(cidr: string): NetworkRange | undefined {
  if (!ipaddr.isValidCIDR(cidr)) return undefined
  const [address, prefix] = ipaddr.parseCIDR(cidr)
  const bytes = (address instanceof ipaddr.IPv4 ? address.toIPv4MappedAddress() : address).toByteArray()
  const fixed = address instanceof ipaddr.IPv4 ? mappedPrefix + prefix : prefix
  const text = (filler: '0' | '1') => {
    const bits = bytes.map((byte) => (byte ?? 0).toString(2).padStart(8, '0')).join('')
    return bits.slice(0, fixed).padEnd(bits.length, filler)
  }
  return { first: text('0'), last: text('1') }
}
