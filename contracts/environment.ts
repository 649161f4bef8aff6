/**
 * Names of environment variables that infrastructure sets and processes read, besides the settings (contracts/settings)
 * and the resources (`TABLE_…`, `QUEUE_…`, `SECRET_…`, `KEY_…` in resources.ts).
 */
export const environment = {
  /** A setting whose declaration is too large for the bundles that need its name. */
  clientVariables: 'CLIENT_VARIABLES',
  /** Where a store is, instead of the region's own address. `npm start` and tests set them; the clients read them. */
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqsEndpoint: 'AWS_ENDPOINT_URL_SQS',
  secretsEndpoint: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  kmsEndpoint: 'AWS_ENDPOINT_URL_KMS',
  s3Endpoint: 'AWS_ENDPOINT_URL_S3',
  /** Where links to objects lead, if clients do not reach the object store itself. `npm start` sets it. */
  s3LinkOrigin: 'S3_LINK_ORIGIN',
} as const
