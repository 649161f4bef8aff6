/**
 * The access that each method of each port needs when its cloud adapter runs: the one source of IAM grants and of
 * environment variables. A method that is not listed needs nothing from the cloud.
 */
import type { Needs, PortName } from '../ports.ts'
import type { Access, MethodAccess } from './access-kinds.ts'
import { callsAccess } from './calls-access.ts'
import { eventsAccess } from './events-access.ts'
import { recordingsAccess } from './recordings-access.ts'
import { tenantsAccess } from './tenants-access.ts'
import { buckets, keys, queues, searchDomains, secrets, tables } from '../resources.ts'

/** The access of every method of every port. */
export const access: MethodAccess = { ...tenantsAccess, ...callsAccess, ...eventsAccess, ...recordingsAccess }

/** Returns every access that a set of needs requires. One resource may appear more than once. */
export function accessOf(needs: Needs): Access[] {
  return Object.entries(needs).flatMap(([port, methods]) => {
    const byMethod = access[port as PortName] as Readonly<Record<string, readonly Access[]>>
    return (methods ?? []).flatMap((method) => byMethod[method] ?? [])
  })
}

/** Returns the name of the environment variable that locates the resource of an access. */
export function variableOf(granted: Access): string {
  if ('table' in granted) return tables[granted.table].variable
  if ('queue' in granted) return queues[granted.queue].variable
  if ('secret' in granted) return secrets[granted.secret].variable
  if ('bucket' in granted) return buckets[granted.bucket].variable
  if ('search' in granted) return searchDomains[granted.search].variable
  return keys[granted.key].variable
}
