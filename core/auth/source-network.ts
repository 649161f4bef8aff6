/**
 * The network that stands for a source address: an IPv4 address itself, of an IPv6 address its /64, all of which one
 * customer of a provider has.
 */
export function sourceNetwork(address: string): string {
  if (!address.includes(':')) return address
  // An IPv4 address in IPv6 notation.
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
