/**
 * Returns the network that represents a source address in rate limits and in the trail: the IPv4 address itself, or the
 * /64 of an IPv6 address, which belongs to one customer of a provider. An IPv4 address in IPv6 notation counts as IPv4.
 * Other text represents itself.
 */
export function sourceNetwork(address: string): string {
  if (!address.includes(':')) return address
  const groups = groupsOf(address)
  const [a, b, c, d, e, mark, high = 0, low = 0] = groups
  if ([a, b, c, d, e].every((group) => group === 0) && mark === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

/** Returns the network by which failed logins are counted: the /24 of an IPv4 address, the /64 of an IPv6 address. */
export function loginNetwork(address: string): string {
  const source = sourceNetwork(address)
  const [prefix] = /^\d{1,3}\.\d{1,3}\.\d{1,3}(?=\.\d{1,3}$)/.exec(source) ?? []
  return prefix === undefined ? source : `${prefix}.0/24`
}

/** Returns the eight groups of an IPv6 address. The last two may be written as IPv4, and a zone may follow. */
function groupsOf(address: string): number[] {
  const [text = ''] = address.split('%')
  const [head = [], tail] = text.split('::').map(groupsIn)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  return [...head, ...Array.from({ length: zeros }, () => 0), ...(tail ?? [])]
}

function groupsIn(text: string): number[] {
  return text
    .split(':')
    .filter((part) => part !== '')
    .flatMap((part) => {
      if (!part.includes('.')) return [Number.parseInt(part, 16)]
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
      return [a * 256 + b, c * 256 + d]
    })
}
