import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** How stored values become values of JavaScript: every number a plain one, also beyond 2^53. */
export const unmarshallOptions = { wrapNumbers: Number }

/**
 * How values are stored: fields without a value are left out, at every depth. The SDK takes an object with a member called
 * `constructor`, which clients may send, for an instance of a class, and refuses those unless they are converted.
 */
const marshallOptions = { removeUndefinedValues: true, allowImpreciseNumbers: true, convertClassInstanceToMap: true }

/** The client of the store. */
export const dynamoClient = oncePerEnvironment((context) => {
  const address = { name: 'dynamodb', endpointVariable: environment.dynamodbEndpoint }
  const client = withoutLogging(
    new DynamoDBClient({ ...clientOptions(context, address), accountIdEndpointMode: 'disabled' }),
  )
  // The client adds options of its own to the objects that it is given.
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { ...marshallOptions },
    unmarshallOptions: { ...unmarshallOptions },
  })
})
