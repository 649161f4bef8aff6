/**
 * Names of environment variables that infrastructure sets and processes read. Settings (contracts/settings) and
 * resources (`TABLE_…`, `QUEUE_…`, `SECRET_…`, `KEY_…` in resources.ts) declare their own.
 */
export const environment = {
  /** A setting whose declaration is too large for the bundles that need its name. */
  clientVariables: 'CLIENT_VARIABLES',
  /**
   * What the status report shows: the version of the platform, which one function tells, and the edition of the
   * connector's code. A version alone changes no process.
   */
  buildVersion: 'BUILD_VERSION',
  /** The port of the connector's private health endpoint; 0 takes a free one. */
  healthPort: 'HEALTH_PORT',
  /** The seconds from the signal to stop until a connector is killed: 30 to 120, the most that Fargate allows. */
  stopSeconds: 'STOP_SECONDS',
  /** The folder in which events wait while their queue is away, and the bytes that they may take there. */
  spoolDir: 'SPOOL_DIR',
  spoolBytes: 'SPOOL_BYTES',
  /** The shards of each new index of CDRs: one for every second node of the store. */
  cdrShards: 'CDR_SHARDS',
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
