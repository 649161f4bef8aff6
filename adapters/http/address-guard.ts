import ipaddr from 'ipaddr.js'
import type { AddressGuard } from '../../core/requests/target-url.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Address, number]

/**
 * IPv4 blocks that are not globally reachable: the IANA special-purpose registry, multicast, 6to4 relays, and the
 * address of the platform of Azure's machines, which looks public and is not.
 */
const forbiddenIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * Global unicast, the only IPv6 space that is assigned for the public internet. Everything outside of it is refused:
 * loopback, link-local, unique local, multicast, IPv4-mapped (`::ffff:0:0/96`), NAT64 (`64:ff9b::/96`), SRv6.
 */
const publicIpv6 = '2000::/3'

/** Blocks inside {@link publicIpv6} of the IANA special-purpose registry: Teredo, ORCHID, documentation, 6to4. */
const forbiddenIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const network = (cidr: string): Network => ipaddr.parseCIDR(cidr)

const contains = (networks: readonly Network[], address: Address): boolean =>
  networks.some((range) => range[0].kind() === address.kind() && address.match([range[0], range[1]]))

const ipv4Networks = forbiddenIpv4.map(network)
const ipv6Networks = forbiddenIpv6.map(network)
const publicIpv6Networks = [network(publicIpv6)]

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !contains(ipv4Networks, address)
  return contains(publicIpv6Networks, address) && !contains(ipv6Networks, address)
}

/**
 * Permits public addresses, and those of `allowedNetworks` (CIDR, comma-separated; empty allows no others). An
 * IPv4-mapped IPv6 address counts as the IPv4 address for the allowed networks; text that is not an address is refused.
 * Throws when `allowedNetworks` is malformed: a deployment must not start with an unintended hole.
 */
export function addressGuard(allowedNetworks: string): AddressGuard {
  const allowed = allowedNetworks
    .split(',')
    .map((cidr) => cidr.trim())
    .filter((cidr) => cidr !== '')
    .map(allowedNetwork)
  return {
    permits(text) {
      if (!ipaddr.isValid(text)) return false
      const address = ipaddr.parse(text)
      return isPublic(address) || contains(allowed, ipaddr.process(text))
    },
  }
}

function allowedNetwork(cidr: string): Network {
  if (!ipaddr.isValidCIDR(cidr)) {
    throw new Error('HOOK_ALLOWED_NETWORKS must be networks in CIDR form, separated by commas, such as 10.0.0.0/8')
  }
  return network(cidr)
}
