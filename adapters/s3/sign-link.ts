import { SignatureV4 } from '@smithy/signature-v4'
import type { BucketName } from '../../contracts/resources.ts'
import type { FileLink, LinkRequest } from '../../core/recordings/file-store.ts'
import { s3Client } from '../aws/s3-client.ts'
import { serviceTime } from '../aws/service-time.ts'
import { type AdapterContext, required } from '../context.ts'
import { objectAddress, queryText } from './object-address.ts'

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
