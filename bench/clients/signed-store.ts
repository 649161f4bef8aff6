/**
 * Stands in for the SDK's clients in a bundle of the benchmark: the same endpoint, with each call of the store a bare
 * signed request. It has no retries, no time limits and no corrected clock, so the product could not use it.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { bareRequest } from '../bare-request.ts'

type Input = Readonly<Record<string, unknown>>
type Values = Record<string, unknown>

class Command {
  readonly action: string
  readonly input: Input

  constructor(action: string, input: Input) {
    this.action = action
    this.input = input
  }
}

function command(action: string): new (input: Input) => Command {
  return class extends Command {
    constructor(input: Input) {
      super(action, input)
    }
  }
}

export const BatchGetCommand = command('BatchGetItem')
export const BatchWriteCommand = command('BatchWriteItem')
export const DeleteCommand = command('DeleteItem')
export const GetCommand = command('GetItem')
export const PutCommand = command('PutItem')
export const QueryCommand = command('Query')
export const ScanCommand = command('Scan')
export const TransactGetCommand = command('TransactGetItems')
export const TransactWriteCommand = command('TransactWriteItems')
export const UpdateCommand = command('UpdateItem')

export const DescribeSecretCommand = command('DescribeSecret')
export const GetSecretValueCommand = command('GetSecretValue')

export class ConditionalCheckFailedException extends Error {}
export class TransactionCanceledException extends Error {}

/** How stored values become values of JavaScript. */
export const unmarshallOptions = {}

const client = {
  config: { systemClockOffset: 0 },

  async send({ action, input }: Command): Promise<unknown> {
    const { status, body } = await bareRequest(process.env, {
      service: 'dynamodb',
      endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` },
      body: JSON.stringify(withStored(input, (values) => marshall(values, { removeUndefinedValues: true }))),
    })
    if (status !== 200) throw new Error(`the store answered ${status}`)
    return withStored(JSON.parse(body), (values) => unmarshall(values as Record<string, AttributeValue>))
  },
}

/** Returns what sends each command as a bare signed request. */
export const dynamoClient = () => client

/** Fails: the measured request reads no secret. */
export const secretsClient = () => {
  throw new Error('the measured request reads no secret')
}

const stored = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
  'Attributes',
])

/** Returns a request or an answer with its stored values converted, at any depth. */
function withStored(value: unknown, convert: (values: Values) => Values): unknown {
  if (Array.isArray(value)) return value.map((each) => withStored(each, convert))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      stored.has(name) && member !== undefined ? convert(member as Values) : withStored(member, convert),
    ]),
  )
}
