import { createHash } from 'node:crypto'
import type { Place } from './place.ts'

/** The names of a created resource: the result of `Ref`, and of `Fn::GetAtt` by attribute. */
export interface Identity {
  readonly ref: string
  readonly attributes: Readonly<Record<string, string>>
}

type Named = (place: Place, name: string, properties: Readonly<Record<string, unknown>>) => Identity

const arn = (place: Place, service: string, resource: string): string =>
  `arn:aws:${service}:${place.region}:${place.account}:${resource}`

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const text = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

const table: Named = (place, name, properties) => {
  const tableName = text(properties['TableName'], name)
  return { ref: tableName, attributes: { Arn: arn(place, 'dynamodb', `table/${tableName}`) } }
}

const identities: Readonly<Record<string, Named>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::SQS::Queue': (place, name, properties) => {
    const fifo = properties['FifoQueue'] === true || properties['FifoQueue'] === 'true'
    const queueName = text(properties['QueueName'], fifo ? `${name}.fifo` : name)
    const url = `${place.storesUrl}/${place.account}/${queueName}`
    return { ref: url, attributes: { Arn: arn(place, 'sqs', queueName), QueueName: queueName, QueueUrl: url } }
  },
  'AWS::S3::Bucket': (_place, name, properties) => {
    const bucket = text(properties['BucketName'], name.toLowerCase())
    return { ref: bucket, attributes: { Arn: `arn:aws:s3:::${bucket}`, DomainName: `${bucket}.s3.amazonaws.com` } }
  },
  // Secrets Manager adds a hyphen and six random characters to the name; policies may match them by a wildcard.
  'AWS::SecretsManager::Secret': (place, name, properties) => {
    const secretArn = arn(
      place,
      'secretsmanager',
      `secret:${text(properties['Name'], name)}-${digest(name).slice(0, 6)}`,
    )
    return { ref: secretArn, attributes: { Id: secretArn } }
  },
  'AWS::KMS::Key': (place, name) => {
    const keyId = digest(name).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
    return { ref: keyId, attributes: { Arn: arn(place, 'kms', `key/${keyId}`), KeyId: keyId } }
  },
  'AWS::KMS::Alias': (_place, name, properties) => ({
    ref: text(properties['AliasName'], `alias/${name}`),
    attributes: {},
  }),
  'AWS::OpenSearchService::Domain': (place, name) => ({
    ref: name,
    attributes: { Arn: arn(place, 'es', `domain/${name}`), DomainEndpoint: `${name.toLowerCase()}.invalid` },
  }),
  'AWS::IAM::Role': (place, name, properties) => {
    const roleName = text(properties['RoleName'], name)
    return { ref: roleName, attributes: { Arn: `arn:aws:iam::${place.account}:role/${roleName}`, RoleId: roleName } }
  },
  'AWS::IAM::ManagedPolicy': (place, name) => ({ ref: `arn:aws:iam::${place.account}:policy/${name}`, attributes: {} }),
  'AWS::Lambda::Function': (place, name, properties) => {
    const functionName = text(properties['FunctionName'], name)
    return { ref: functionName, attributes: { Arn: arn(place, 'lambda', `function:${functionName}`) } }
  },
  'AWS::ApiGatewayV2::Api': (place, name) => ({
    ref: name,
    attributes: { ApiEndpoint: place.publicUrl, ApiId: name },
  }),
}

/**
 * Returns the identity of a resource on a laptop. It depends on the stack's name and the logical id alone, so that the
 * next start finds the same tables again. A type without a rule of its own gets made-up, constant text.
 */
export function identify(
  place: Place,
  stackName: string,
  logicalId: string,
  type: string,
  properties: Readonly<Record<string, unknown>>,
): Identity {
  const name = `${stackName}-${logicalId}`
  return identities[type]?.(place, name, properties) ?? { ref: name, attributes: { Arn: arn(place, 'local', name) } }
}
