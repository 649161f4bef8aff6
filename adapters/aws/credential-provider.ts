import { defaultProvider } from '@aws-sdk/credential-provider-node'
import type { AdapterContext } from '../context.ts'

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Returns the credentials of the environment (a Lambda function, a laptop); where it has none, the SDK's own chain,
 * which renews those of an ECS task. The chain asks once and fails, since the connector makes a failed call again
 * later. The bundles of functions hold {@link file://./no-chain.ts} in place of the chain.
 */
export function credentialProvider({ env }: Pick<AdapterContext, 'env'>): () => Promise<Credentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env
  if (!accessKeyId || !secretAccessKey) return defaultProvider({ maxRetries: 0 })
  return async () => ({ accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) })
}
