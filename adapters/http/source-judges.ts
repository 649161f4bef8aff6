import ipaddr from 'ipaddr.js'
import type { SourceJudges } from '../../core/dialplan/gateway-of-call.ts'
import { addressFinder } from './guarded-lookup.ts'
import { networkProblem } from './networks.ts'
import { keptAnswers } from './kept-answers.ts'

/** Milliseconds: a phone's call waits for the platform for at least a second (`PLATFORM_TIMEOUT` of the engine kit). */
const waitMs = 800

/** The addresses of names, kept in this process, so that strangers' calls cost a query for each name, not each call. */
const addressesOf = keptAnswers(addressFinder({ waitMs }), () => performance.now())

/** Judges the sources of calls. An IPv4 address in the form of IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
export const sourceJudges: SourceJudges = {
  contains,
  isAllowed: (cidr) => networkProblem(cidr) === undefined,
  addressesOf: async (host) => (ipaddr.isValid(host) ? [] : addressesOf(host)),
}

function contains(cidr: string, text: string): boolean {
  if (!ipaddr.isValid(text) || !ipaddr.isValidCIDR(cidr)) return false
  const address = ipaddr.process(text)
  const [base, prefix] = ipaddr.parseCIDR(cidr)
  if (address.kind() === base.kind()) return address.match([base, prefix])
  // A network of mapped addresses holds IPv4 addresses.
  return (
    address instanceof ipaddr.IPv4 && base instanceof ipaddr.IPv6 && address.toIPv4MappedAddress().match([base, prefix])
  )
}
