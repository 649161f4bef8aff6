import { Client } from '@opensearch-project/opensearch'
import { AwsSigv4Signer } from '@opensearch-project/opensearch/aws-v3'
import { searchDomains } from '../../contracts/resources.ts'
import { required } from '../context.ts'
import { credentialProvider, oncePerEnvironment } from './client-options.ts'

/** The client of the search store. */
export const openSearchClient = oncePerEnvironment((context) => {
  const region = required(context, 'AWS_REGION')
  return new Client({
    ...AwsSigv4Signer({ region, service: 'es', getCredentials: credentialProvider(context) }),
    node: required(context, searchDomains.cdr.variable),
    // A kept connection may end at the very moment in which it is used again. What is sent here may be sent twice.
    maxRetries: 1,
    // A ping asks for a permission that no function has.
    resurrectStrategy: 'optimistic',
  })
})
