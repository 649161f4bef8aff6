import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, objectRequestHandler, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** The SDK would warn on the console of each body that is not sent again. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }

const objectOptions = (context: Parameters<typeof clientOptions>[0]): S3ClientConfig => ({
  ...clientOptions(context, { name: 's3', endpointVariable: environment.s3Endpoint }),
  requestHandler: objectRequestHandler,
  // Another address than that of the region has no host names for buckets.
  forcePathStyle: Boolean(context.env[environment.s3Endpoint]),
  // Every body comes with its own SHA-256, and its bytes are never cut into chunks that are signed one by one.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // Waiting for the store's consent before each body would take a new connection each time.
  expectContinueHeader: false,
  disableS3ExpressSessionAuth: true,
  useArnRegion: false,
  sigv4aSigningRegionSet: [],
  logger: silent,
})

/** The client of the object store. */
export const s3Client = oncePerEnvironment((context) => withoutLogging(new S3Client(objectOptions(context))))

/** The client for calls that must not be made again when their answer is lost. */
export const s3ClientOfOneAttempt = oncePerEnvironment((context) =>
  withoutLogging(new S3Client({ ...objectOptions(context), maxAttempts: 1 })),
)
