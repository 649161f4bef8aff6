import { Resolver as DnsClient } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { type AddressGuard, refusedPorts } from '../../core/requests/target-url.ts'
import { type DnsResolverOptions, addressFinder } from './guarded-lookup.ts'
import { keptAnswers } from './kept-answers.ts'

/** Milliseconds: an engine waits for its gateways for at least a second (`PLATFORM_TIMEOUT` of the engine kit). */
const waitMs = 800

/** The records in which an engine finds the servers of a name, by protocol (RFC 3263). */
const services = ['_sip._udp', '_sip._tcp', '_sips._tcp']

/** The most servers of a name that are looked up. A name with more leads nowhere that is permitted. */
const maxServers = 20

/** Stands for a server that must not be reached: no guard permits this address unless a deployment allows it. */
const nowhere = '0.0.0.0'

/**
 * Makes a judge of the proxies of gateways: whether every address that an engine may find for one is permitted. It
 * looks up what the engine does, also NAPTR and SRV records where no port is given. A proxy whose lookups take longer
 * than 0.8 s is not permitted until they are done; their answers are kept for a minute. Records that name servers
 * refuse to give count as missing.
 */
export function proxyJudge(options: DnsResolverOptions = {}): (proxy: string, guard: AddressGuard) => Promise<boolean> {
  const addressesOf = addressFinder(options)
  const find = async (proxy: string) => {
    const [host = '', port] = proxy.split(':')
    const servers = port === undefined ? await serversOf(host, options) : []
    const found = await Promise.all([host, ...servers.map(({ name }) => name)].map(addressesOf))
    const isRefused = servers.length >= maxServers || servers.some((server) => refusedPorts.has(`${server.port}`))
    return {
      addresses: [...found.flatMap(({ addresses }) => addresses), ...(isRefused ? [nowhere] : [])],
      isWhole: true,
    }
  }
  const kept = keptAnswers(find, () => performance.now())
  return async (proxy, guard) => {
    const [host = ''] = proxy.split(':')
    if (ipaddr.isValid(host)) return guard.permits(host)
    const inTime = AbortSignal.timeout(waitMs)
    const late = new Promise<readonly string[]>((resolve) => {
      inTime.addEventListener('abort', () => resolve([nowhere]), { once: true })
    })
    return (await Promise.race([kept(proxy), late])).every((address) => guard.permits(address))
  }
}

async function serversOf(host: string, { servers }: DnsResolverOptions): Promise<{ name: string; port: number }[]> {
  const client = new DnsClient({ timeout: 1_500, tries: 2 })
  if (servers !== undefined) client.setServers(servers)
  const orNone = <T>(records: Promise<T[]>) => records.catch(() => [])
  const pointers = (await orNone(client.resolveNaptr(host))).map(({ replacement }) => replacement).slice(0, maxServers)
  const names = [...services.map((service) => `${service}.${host}`), ...pointers]
  const found = await Promise.all(names.map((name) => orNone(client.resolveSrv(name))))
  return [...pointers.map((name) => ({ name, port: 5_060 })), ...found.flat()].slice(0, maxServers)
}
