import { KMSClient } from '@aws-sdk/client-kms'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** The client of the key service. */
export const kmsClient = oncePerEnvironment((context) =>
  withoutLogging(new KMSClient(clientOptions(context, { name: 'kms', endpointVariable: environment.kmsEndpoint }))),
)
