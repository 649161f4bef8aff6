import { SignatureV4 } from '@smithy/signature-v4'
import type { BucketName } from '../../contracts/resources.ts'
import type { LinkedPart, PartLink, Upload } from '../../core/recordings/file-store.ts'
import { s3Client } from '../aws/s3-client.ts'
import { serviceTime } from '../aws/service-time.ts'
import { type AdapterContext, required } from '../context.ts'
import { base64Of } from './client.ts'
import { objectAddress, queryText } from './object-address.ts'

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
