/**
 * Takes the place of `@aws-sdk/credential-provider-node` in the bundles of functions: Lambda puts the credentials into
 * the environment, and the SDK's chain would add 200 KB that read files and run programs.
 */
export function defaultProvider(): () => Promise<never> {
  return async () => {
    const message = 'no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'
    throw Object.assign(new Error(message), { name: 'CredentialsProviderError' })
  }
}
