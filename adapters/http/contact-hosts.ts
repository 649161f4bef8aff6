import ipaddr from 'ipaddr.js'

/**
 * Returns whether a host is one of a list of names, addresses and networks in CIDR form. Names are compared, not looked
 * up.
 */
export function inHosts(list: readonly string[], given: string): boolean {
  const host = given.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : undefined
  return list.some((each) => {
    if (!each.includes('/')) return each.toLowerCase() === host
    const [network, bits] = ipaddr.parseCIDR(each)
    return address?.kind() === network.kind() && address.match([network, bits])
  })
}
