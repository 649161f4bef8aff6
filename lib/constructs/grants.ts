import { Validations } from 'aws-cdk-lib'
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import { accessOf, variableOf } from '../../contracts/access/access.ts'
import type { Access } from '../../contracts/access/access-kinds.ts'
import { indexName } from '../../contracts/resources.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { reachesInside } from '../rule-pack.ts'
import type { Resources } from './resources.ts'

/** The port methods that a process uses. */
export type Needs = Route['needs']

/**
 * Returns the statements that allow exactly what these needs require, one for each resource. A search domain is allowed
 * with all its paths and a bucket with all its objects; there is no other wildcard.
 */
export function statementsOf(needs: Needs, resources: Resources): PolicyStatement[] {
  const byTarget = new Map<string, { arns: readonly string[]; actions: Set<string> }>()
  for (const granted of accessOf(needs)) {
    const { key, arns, service } = targetOf(granted, resources)
    const entry = byTarget.get(key) ?? { arns, actions: new Set() }
    for (const action of granted.actions) entry.actions.add(`${service}:${action}`)
    byTarget.set(key, entry)
  }
  return [...byTarget.entries()]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([, { arns, actions }]) => new PolicyStatement({ actions: [...actions].sort(), resources: [...arns] }))
}

/** Returns the environment from which a process learns the locations of its resources. */
export function environmentOf(needs: Needs, resources: Resources): Record<string, string> {
  const entries = accessOf(needs).map((granted) => [variableOf(granted), addressOf(granted, resources)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)))
}

/** Explains to the rule pack why a role's statements allow everything inside a bucket or a search domain. */
export function acknowledgeInsides(role: Role, needs: Needs): void {
  if (!accessOf(needs).some((granted) => 'bucket' in granted || 'search' in granted)) return
  Validations.of(role).acknowledge({
    id: reachesInside,
    reason: 'The names of objects and indexes are not known beforehand; the actions are named.',
  })
}

/** Returns the target of an access. Its key distinguishes resources whose ARNs are not known yet. */
function targetOf(granted: Access, resources: Resources) {
  const { tables, queues, secrets, keys, buckets, searchDomains } = resources
  if ('table' in granted) {
    const { tableArn } = tables[granted.table]
    return granted.index
      ? {
          key: `table ${granted.table} index`,
          service: 'dynamodb',
          arns: [`${tableArn}/index/${indexName}`],
        }
      : { key: `table ${granted.table}`, service: 'dynamodb', arns: [tableArn] }
  }
  if ('queue' in granted) {
    return { key: `queue ${granted.queue}`, service: 'sqs', arns: [queues[granted.queue].queue.queueArn] }
  }
  if ('secret' in granted) {
    return { key: `secret ${granted.secret}`, service: 'secretsmanager', arns: [secrets[granted.secret].secretArn] }
  }
  if ('bucket' in granted) {
    const { bucketArn } = buckets[granted.bucket]
    return 'whole' in granted
      ? { key: `bucket ${granted.bucket}`, service: 's3', arns: [bucketArn] }
      : { key: `objects ${granted.bucket}`, service: 's3', arns: [`${bucketArn}/*`] }
  }
  if ('search' in granted) {
    const { domainArn } = searchDomains[granted.search]
    return { key: `search ${granted.search}`, service: 'es', arns: [`${domainArn}/*`] }
  }
  return { key: `key ${granted.key}`, service: 'kms', arns: [keys[granted.key].keyArn] }
}

function addressOf(granted: Access, { tables, queues, secrets, keys, buckets, searchDomains }: Resources): string {
  if ('table' in granted) return tables[granted.table].tableName
  if ('queue' in granted) return queues[granted.queue].queue.queueUrl
  if ('secret' in granted) return secrets[granted.secret].secretArn
  if ('bucket' in granted) return buckets[granted.bucket].bucketName
  if ('search' in granted) return `https://${searchDomains[granted.search].domainEndpoint}`
  return keys[granted.key].keyArn
}
