/**
 * Names of environment variables that infrastructure sets and processes read. Settings (contracts/settings) and resources
 * (`TABLE_…`, `QUEUE_…`, `SECRET_…`, `KEY_…` in resources.ts) declare their own.
 */
export const environment = {
  /** A setting whose declaration is too large for the bundles that need its name. */
  clientVariables: 'CLIENT_VARIABLES',
  /** The address of a store when it is not the region's own. `npm start` and tests set it; the clients read it. */
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqsEndpoint: 'AWS_ENDPOINT_URL_SQS',
  secretsEndpoint: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  kmsEndpoint: 'AWS_ENDPOINT_URL_KMS',
  s3Endpoint: 'AWS_ENDPOINT_URL_S3',
  /** The origin of links to objects when clients cannot reach the object store itself. `npm start` sets it. */
  s3LinkOrigin: 'S3_LINK_ORIGIN',
  /** Ports of parts of the platform on this machine, comma-separated: no hook may reach them. `npm start` sets it. */
  ownPorts: 'OWN_PORTS',
} as const
