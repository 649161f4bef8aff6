import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'
import { storable } from './storable.ts'

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
