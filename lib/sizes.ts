import * as deployment from '../contracts/settings/deployment.ts'
import * as operation from '../contracts/settings/operation.ts'
import * as searchStore from '../contracts/settings/search-store.ts'
import { engineVpc } from '../contracts/settings/engine-vpc.ts'
import { searchNode } from '../contracts/settings/search-nodes.ts'
import * as platform from '../contracts/settings/platform.ts'
import { otherPartition } from './partition.ts'
import type { SearchSize, Settings } from './settings.ts'

// Services would refuse these sizes only when a deployment gets to them, up to half an hour after its start. Each check
// names the setting to change and the values that it may have.

/** Returns the size of the store of CDRs. Throws for sizes that the service does not offer together. */
export function searchSize(size: SearchSize): SearchSize {
  const node = searchNode(size.instanceType)
  if (node === undefined) return size
  if (size.volumeGb > node.mostGb) {
    return refuse(searchStore.searchVolumeGb, `${node.mostGb} at most with ${size.instanceType}`)
  }
  if (size.volumeGb < node.leastGb) {
    return refuse(searchStore.searchVolumeGb, `${node.leastGb} at least with ${size.instanceType}`)
  }
  if (size.instances > node.mostNodes) {
    return refuse(searchStore.searchInstances, `${node.mostNodes} at most with ${size.instanceType}`)
  }
  if (size.instances < node.leastNodes) {
    return refuse(searchStore.searchInstances, `${node.leastNodes} at least with ${size.instanceType}`)
  }
  return size
}

/** Checks that the regions are of the supported partition, and that the one of replicas is another. */
export function checkRegions({ env, replicaRegion }: Pick<Settings, 'env' | 'replicaRegion'>): void {
  if (otherPartition(env.region) !== undefined) refuse(deployment.region, 'a region of the partition aws')
  if (otherPartition(replicaRegion) !== undefined) refuse(operation.replicaRegion, 'a region of the partition aws')
  if (replicaRegion === '') return
  // The names of the copies have it.
  if (env.region === undefined) refuse(deployment.region, 'given with replicaRegion')
  if (env.region === replicaRegion) refuse(operation.replicaRegion, 'another region than region')
}

/**
 * Checks that the API's domain name has a certificate, in the region of the stage, and the other way round, and that
 * callers are told no other name.
 */
export function checkDomain(
  { domain, env, publicUrl }: Pick<Settings, 'domain' | 'env' | 'publicUrl'>,
  certificateArn: string,
): void {
  if ((domain === undefined) !== (certificateArn === '')) {
    const [missing, given] = [deployment.domainName, deployment.certificateArn]
    const [absent, present] = domain === undefined ? [missing, given] : [given, missing]
    refuse(absent, `given with ${present.context}`)
  }
  if (certificateArn !== '' && env.region !== undefined && certificateArn.split(':')[3] !== env.region) {
    refuse(deployment.certificateArn, 'a certificate in the region of the stage')
  }
  if (domain !== undefined && publicUrl.toLowerCase() !== `https://${domain.name}`) {
    refuse(platform.publicUrl, 'https:// and the name of domainName, or left out; for a front, leave domainName out')
  }
}

/** Checks that a store which is taken up is not asked to move into a network. */
export function checkSearchAccess({ search, existing }: Pick<Settings, 'search' | 'existing'>): void {
  if (search.access === 'vpc' && Object.keys(existing.searchDomains).length > 0) {
    refuse(searchStore.searchAccess, 'public with a store of CDRs in existingStores, which has a public address')
  }
}

/** EC2 keeps so many addresses of each subnet: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
const reservedAddresses = 5

/** The private endpoints have an address in each zone. */
const fixedAddresses = 6

type Networks = Pick<Settings, 'connectorNetwork' | 'engineNetwork' | 'zones' | 'connectorTasks'>

/**
 * Checks the connector's network: of a size that a VPC may have, apart from the engines' network, and with an address
 * for each task twice, since a deployment starts new tasks before it ends old ones.
 */
export function checkNetworks(networks: Networks): void {
  const { connectorNetwork, engineNetwork, zones, connectorTasks: connectors } = networks
  const [own, engines] = [rangeOf(connectorNetwork), rangeOf(engineNetwork)]
  if (own.first <= engines.last && engines.first <= own.last) {
    refuse(deployment.connectorNetwork, 'a network that does not overlap engineNetwork, or the two cannot be joined')
  }
  const needed = reservedAddresses + fixedAddresses + Math.ceil((2 * connectors) / zones)
  const longest = 32 - Math.ceil(Math.log2(needed)) - Math.ceil(Math.log2(zones))
  if (own.prefix < 16 || own.prefix > longest) {
    refuse(deployment.connectorNetwork, `a network from /16 to /${longest}, so that ${connectors} connectors have room`)
  }
}

/** Checks that the addresses of the engines' VPC are those of engines, inside the network that routes lead to. */
export function checkEngineVpc({
  engineVpc: vpc,
  engines,
  engineNetwork,
}: Pick<Settings, 'engineVpc' | 'engines' | 'engineNetwork'>): void {
  const range = rangeOf(engineNetwork)
  for (const [name, address] of Object.entries(vpc?.addresses ?? {})) {
    const { first } = rangeOf(`${address}/32`)
    const problem = !engines.some(({ host }) => host === name)
      ? 'addresses of hosts in engineHost only'
      : first < range.first || first > range.last
        ? 'addresses inside engineNetwork only, to which the routes lead'
        : undefined
    if (problem !== undefined) throw new Error(`setting ${engineVpc.context} must have ${problem}`)
  }
}

function rangeOf(cidr: string): { readonly prefix: number; readonly first: number; readonly last: number } {
  const [address = '', bits = ''] = cidr.split('/')
  const prefix = Number(bits)
  const size = 2 ** (32 - prefix)
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const first = Math.floor(value / size) * size
  return { prefix, first, last: first + size - 1 }
}

/**
 * Lambda takes 4 KB of variables for a function; the names of its stores and queues need up to 2.5 KB of them:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
const mostVariableBytes = 1536

/** Checks that the settings which functions get as variables fit into them. Names the longest one when they do not. */
export function checkVariables(texts: Readonly<Record<string, string>>): void {
  const sizes = Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.byteLength(name + text) }))
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
  const [longest] = sizes.toSorted((a, b) => b.bytes - a.bytes)
  if (bytes <= mostVariableBytes || longest === undefined) return
  throw new Error(
    `setting ${longest.name} must be shorter: with the other settings of functions it has ${bytes} bytes, and there is room for ${mostVariableBytes}`,
  )
}

function refuse({ context }: { readonly context: string }, words: string): never {
  throw new Error(`setting ${context} must be ${words}`)
}
