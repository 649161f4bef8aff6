import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** The client of the secret store. */
export const secretsClient = oncePerEnvironment((context) => {
  const address = { name: 'secretsmanager', endpointVariable: environment.secretsEndpoint }
  return withoutLogging(new SecretsManagerClient(clientOptions(context, address)))
})
