import { SignatureV4 } from '@smithy/signature-v4'
import { type BucketName, buckets } from '../../contracts/resources.ts'
import type { FileLink, LinkRequest, LinkedPart, PartLink, Upload } from '../../core/recordings/file-store.ts'
import { s3Client } from '../aws/s3-client.ts'
import { type AdapterContext, required } from '../context.ts'
import { base64Of } from './client.ts'
import { environment } from '../../contracts/environment.ts'
import { dynamoClient } from '../aws/dynamodb-client.ts'

/**
 * Returns a link through which one object can be read by `GET` alone, with the headers that are signed into it. It
 * depends on the process's own credentials: if they expire earlier, so does the link. A signature is a pure
 * computation: the SDK's presigner would add 60 ms to a cold start for it.
 */
export async function signLink(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  bucket: BucketName,
  { key, contentType, disposition, seconds }: LinkRequest,
): Promise<FileLink> {
  const { origin, path } = objectAddress(context, bucket, key)
  const { credentials, sha256 } = s3Client(context).config
  const region = required(context, 'AWS_REGION')
  // S3 signs paths as written in the request.
  const signer = new SignatureV4({ credentials, region, service: 's3', sha256, uriEscapePath: false })
  // Signatures know whole seconds. By a wrong clock, the link would be refused, or end at another time.
  const signedAt = Math.floor(serviceTime(context) / 1000) * 1000
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: origin.protocol,
      hostname: origin.hostname,
      path,
      query: {
        'response-cache-control': 'private, no-store',
        'response-content-disposition': disposition,
        'response-content-type': contentType,
      },
      headers: { host: origin.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    },
    { signingDate: new Date(signedAt), expiresIn: seconds },
  )
  const signed = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return { url: `${origin.origin}${path}?${queryText(signed)}`, expires: signedAt + seconds * 1000 }
}

const checksumHeader = 'x-amz-checksum-sha256'

interface PartRequest {
  readonly upload: Upload
  readonly part: LinkedPart
  readonly seconds: number
}

/**
 * Returns a link through which this one part can be stored by `PUT` alone. Its length and its checksum are signed, so
 * that the store takes no other bytes by it. Like every link, it depends on the process's own credentials.
 */
export async function signPart(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  bucket: BucketName,
  { upload: { key, uploadId }, part: { number, size, sha256 }, seconds }: PartRequest,
): Promise<PartLink> {
  const { origin, path } = objectAddress(context, bucket, key)
  const { credentials, sha256: hash } = s3Client(context).config
  const region = required(context, 'AWS_REGION')
  const signer = new SignatureV4({ credentials, region, service: 's3', sha256: hash, uriEscapePath: false })
  const checksum = base64Of(sha256)
  const { query = {} } = await signer.presign(
    {
      method: 'PUT',
      protocol: origin.protocol,
      hostname: origin.hostname,
      path,
      query: { partNumber: String(number), uploadId },
      headers: {
        host: origin.host,
        'content-length': String(size),
        [checksumHeader]: checksum,
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      },
    },
    {
      signingDate: new Date(serviceTime(context)),
      expiresIn: seconds,
      // In the query, the checksum would be a parameter like any other.
      unhoistableHeaders: new Set([checksumHeader]),
    },
  )
  const signed = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return { url: `${origin.origin}${path}?${queryText(signed)}`, checksum }
}

/** The address of an object: the origin, and the path as written in a request. */
export interface ObjectAddress {
  readonly origin: URL
  /** Percent-encoded, from the slash on. */
  readonly path: string
}

/**
 * Returns the address of an object for clients: under the bucket's own host name in the cloud, by a path that begins
 * with the bucket's name where another address is set.
 */
function objectAddress(context: Pick<AdapterContext, 'env'>, bucket: BucketName, key: string): ObjectAddress {
  const name = required(context, buckets[bucket].variable)
  const endpoint = context.env[environment.s3LinkOrigin] ?? context.env[environment.s3Endpoint]
  const path = `/${key.split('/').map(encodePart).join('/')}`
  if (endpoint) return { origin: new URL(endpoint), path: `/${encodePart(name)}${path}` }
  return { origin: new URL(`https://${name}.s3.${required(context, 'AWS_REGION')}.amazonaws.com`), path }
}

/** Every character but `A-Z a-z 0-9 - . _ ~` in percent form, as signatures ask. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns a query as written in a request, without the question mark. */
function queryText(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .join('&')
}

/**
 * Returns the time of the services (epoch milliseconds): that of the process's clock, corrected as the store's client
 * corrects it. A client learns the difference from its answers, and every request calls the store before it signs.
 */
function serviceTime(context: Pick<AdapterContext, 'env' | 'clock'>): number {
  return context.clock.now() + dynamoClient(context).config.systemClockOffset
}
