import type { Access } from '../../contracts/access/access-kinds.ts'
import { accessOf, variableOf } from '../../contracts/access/access.ts'
import type { Needs } from '../../contracts/ports.ts'
import type { Assembly, Placed, Value } from './assembly.ts'

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource?: Value
}

/** Every permission of a role's own policies, as `action on resource`, sorted. */
export function permissionsOf(assembly: Assembly, role: Placed): string[] {
  const policies = role.Properties['Policies'] as unknown as { PolicyDocument: { Statement: Statement[] } }[]
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
  return statements.flatMap((statement) => permissionsIn(assembly, role, statement)).sort()
}

/** Returns the permissions of a statement, as `action on resource`. */
export function permissionsIn(assembly: Assembly, at: Placed, { Effect, Action, Resource }: Statement): string[] {
  const resources = Array.isArray(Resource) ? (Resource as readonly Value[]) : [Resource]
  return [Action].flat().flatMap((action) =>
    resources.map((resource) => {
      const allowed = `${action} on ${assembly.resolve(at.stack, resource)}`
      return Effect === 'Allow' ? allowed : `${Effect}: ${allowed}`
    }),
  )
}

/** Returns the permissions of needs, as `action on resource`, sorted and without repeats. */
export function permissionsFor(assembly: Assembly, needs: Needs): string[] {
  const all = accessOf(needs).flatMap((granted) => {
    const { service, arn } = targetOf(assembly, granted)
    return granted.actions.map((action) => `${service}:${action} on ${arn}`)
  })
  return [...new Set(all)].sort()
}

/** The environment that needs come to: what each variable refers to. */
export function variablesFor(assembly: Assembly, needs: Needs): Record<string, string> {
  return Object.fromEntries(
    accessOf(needs).map((granted) => [variableOf(granted), targetOf(assembly, granted).address]),
  )
}

/** An ARN and an address of a resource, spelt as {@link Assembly.resolve} spells them. */
function targetOf(assembly: Assembly, granted: Access) {
  const place = ({ stack, id }: Placed) => `${stack.name}/${id}`
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
  if ('table' in granted) {
    const table = place(assembly.one('AWS::DynamoDB::Table', `${capital(granted.table)}Table`))
    return { service: 'dynamodb', arn: `${table}.Arn${granted.index ? '/index/keys-by-state' : ''}`, address: table }
  }
  if ('queue' in granted) {
    const queue = place(assembly.one('AWS::SQS::Queue', `${capital(granted.queue)}QueueWork`))
    return { service: 'sqs', arn: `${queue}.Arn`, address: queue }
  }
  if ('secret' in granted) {
    const secret = place(assembly.one('AWS::SecretsManager::Secret', `${capital(granted.secret)}Secret`))
    return { service: 'secretsmanager', arn: secret, address: secret }
  }
  if ('bucket' in granted) {
    const bucket = place(assembly.one('AWS::S3::Bucket', `${capital(granted.bucket)}BucketObjects`))
    return { service: 's3', arn: `${bucket}.Arn${'whole' in granted ? '' : '/*'}`, address: bucket }
  }
  if ('search' in granted) {
    const domain = place(assembly.one('AWS::OpenSearchService::Domain', `${capital(granted.search)}Search`))
    return { service: 'es', arn: `${domain}.Arn/*`, address: `https://${domain}.DomainEndpoint` }
  }
  const key = place(assembly.one('AWS::KMS::Key', `${capital(granted.key)}Key`))
  return { service: 'kms', arn: `${key}.Arn`, address: `${key}.Arn` }
}
