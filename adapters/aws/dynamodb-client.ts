import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** How stored values become values of JavaScript: every number a plain one, also beyond 2^53. */
export const unmarshallOptions = { wrapNumbers: Number }

/** How values are stored: fields without a value are left out, at every depth. Instances of classes are refused. */
const marshallOptions = { removeUndefinedValues: true, allowImpreciseNumbers: true }

/** The client of the store. */
export const dynamoClient = oncePerEnvironment((context) => {
  const address = { name: 'dynamodb', endpointVariable: environment.dynamodbEndpoint }
  const client = withoutLogging(
    new DynamoDBClient({ ...clientOptions(context, address), accountIdEndpointMode: 'disabled' }),
  )
  client.middlewareStack.add((next) => (args) => next({ ...args, input: storable(args.input) as typeof args.input }), {
    step: 'initialize',
    name: 'storable',
  })
  // The client adds options of its own to the objects that it is given.
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { ...marshallOptions },
    unmarshallOptions: { ...unmarshallOptions },
  })
})

/**
 * Returns what is to be stored with a map in place of each record that has a member called `constructor`: clients may
 * send one, and the SDK would take it for an instance of a class, which it refuses. Values without such a record come
 * back as they are, so that instances, such as dates, stay refused.
 */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(storable)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
  const members = entries.map(([name, member]) => [name, storable(member)] as const)
  if (Object.hasOwn(value, 'constructor')) return new Map(members)
  return members.some(([, member], index) => member !== entries[index]?.[1]) ? Object.fromEntries(members) : value
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
