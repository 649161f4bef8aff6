/**
 * What each method of each port does to which resource when its cloud adapter runs: the one source of IAM grants and
 * of environment variables. A method that is not listed needs nothing from the cloud.
 */
import type { Needs, PortName } from '../core/ports.ts'
import type { Access, MethodAccess } from './access/access-kinds.ts'
import { callsAccess } from './access/calls-access.ts'
import { eventsAccess } from './access/events-access.ts'
import { recordingsAccess } from './access/recordings-access.ts'
import { tenantsAccess } from './access/tenants-access.ts'
import { buckets, keys, queues, searchDomains, secrets, tables } from './resources.ts'

/** What every method of every port touches. */
export const access: MethodAccess = { ...tenantsAccess, ...callsAccess, ...eventsAccess, ...recordingsAccess }

/** Every access that a set of needs comes to. One resource may stand there more than once. */
export function accessOf(needs: Needs): Access[] {
  return Object.entries(needs).flatMap(([port, methods]) => {
    const byMethod = access[port as PortName] as Readonly<Record<string, readonly Access[]>>
    return (methods ?? []).flatMap((method) => byMethod[method] ?? [])
  })
}

/** The environment variable that tells where the resource of an access is. */
export function variableOf(granted: Access): string {
  if ('table' in granted) return tables[granted.table].variable
  if ('queue' in granted) return queues[granted.queue].variable
  if ('secret' in granted) return secrets[granted.secret].variable
  if ('bucket' in granted) return buckets[granted.bucket].variable
  if ('search' in granted) return searchDomains[granted.search].variable
  return keys[granted.key].variable
}
