/**
 * Names and defaults of the environment variables of functions and connector, for both sides: infrastructure sets
 * them, adapters read them. Resource variables (`TABLE_…`, `QUEUE_…`, `SECRET_…`, `KEY_…`) stand in resources.ts.
 */
export const environment = {
  /** `trace`, `debug`, `info`, `warn`, `error`. */
  logLevel: 'LOG_LEVEL',
  /** The build that answers, shown in the status report. */
  buildVersion: 'BUILD_VERSION',
  /** The service's public base address, told in a login result as `cdr.host`. */
  publicUrl: 'PUBLIC_URL',
  /** Name of the root user; `root` where unset. */
  rootName: 'ROOT_NAME',
  /** Life of a login's token in seconds: 300 to 8640000; 604800 (7 days) where unset. */
  tokenSeconds: 'TOKEN_SECONDS',
  /** Least length of a password; 3 where unset. */
  passwordMinLength: 'PASSWORD_MIN_LENGTH',
  /** `on` lets callflows hold `js` and `script` steps; `off` where unset. */
  scriptSteps: 'SCRIPT_STEPS',
  /**
   * Names of channel variables that clients may set besides the closed lists, as JSON: name to pattern, or to
   * `{"pattern": …, "force": true}` for a name that the engine reads; none where unset. See contracts/client-variables.ts.
   */
  clientVariables: 'CLIENT_VARIABLES',
  /**
   * Seconds between the deletion of a domain and the removal of what it leaves: 1 to 900; 120 where unset. Below 60 it
   * is shorter than a request and the functions behind the queues may take: for tests.
   */
  deletionGraceSeconds: 'DELETION_GRACE_SECONDS',
  /**
   * Rates that requests are held to, as {@link usualRateLimits} writes them; unset or `off`: none. A rate that is not
   * named is not held.
   */
  rateLimits: 'RATE_LIMITS',
  /** Networks in CIDR form, comma-separated, that the hook client may reach besides public addresses. */
  hookAllowedNetworks: 'HOOK_ALLOWED_NETWORKS',
  /** Where a store is, instead of the region's own address. */
  dynamodbEndpoint: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqsEndpoint: 'AWS_ENDPOINT_URL_SQS',
  secretsEndpoint: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  kmsEndpoint: 'AWS_ENDPOINT_URL_KMS',
  s3Endpoint: 'AWS_ENDPOINT_URL_S3',
  /**
   * The engines' sockets as `esl://host:port`, comma-separated where there are several. An address may hold a password
   * of its own, percent-encoded (`esl://:password@host:port`); `ENGINE_PASSWORD` is that of the others.
   */
  engineUrl: 'ENGINE_URL',
  enginePassword: 'ENGINE_PASSWORD',
  /** Folder in which the connector keeps events while their queue is away; unset: in memory only. */
  spoolDir: 'SPOOL_DIR',
  /** Bytes that they may take there: 4194304 (4 MiB) at least; 1 GiB where unset. */
  spoolBytes: 'SPOOL_BYTES',
  /** Folder with the engines' recordings, as the connector sees it; unset: it stores none. */
  recordingsDir: 'RECORDINGS_DIR',
  /** The same folder as the engines call it; where unset, they call it the same. */
  recordingsEngineDir: 'RECORDINGS_ENGINE_DIR',
  /** `on` leaves files in that folder when they are stored; `off` where unset. */
  recordingsKeep: 'RECORDINGS_KEEP',
  /** Port of the connector's private health endpoint. */
  healthPort: 'HEALTH_PORT',
} as const

/**
 * The rates of the contract: `<name>=<requests>/<s|m|h>`, and after a colon the most requests at one moment where that
 * is not the same number; `<name>=<requests>` are those that may be under way at once. Names stand in
 * contracts/routes/route.ts.
 */
export const usualRateLimits = 'token=50/s:100,domain=200/s:400,login=10/m,call=5/s,search=5/s,searching=2'
