import { hash } from 'node:crypto'
import { type Signer, signatureOf } from './signature.ts'

/** A POST of JSON to a service, as all but S3 speak. */
export interface ServiceRequest {
  readonly url: URL
  readonly service: string
  readonly region: string
  /** `x-amz-target`, which names the action. */
  readonly target: string
  readonly body: string | Buffer
  /** `application/x-amz-json-1.0` or `-1.1`. */
  readonly contentType: string
}

/** A signer; temporary credentials have a token. */
export type TokenSigner = Signer & { readonly sessionToken?: string | undefined }

/** Returns all headers of a request to a JSON service, `authorization` among them. */
export function signRequest(request: ServiceRequest, signer: TokenSigner, now: number): Record<string, string> {
  const payloadHash = hash('sha256', request.body)
  return signHeaders(
    { ...request, method: 'POST', payloadHash },
    { 'content-type': request.contentType, 'x-amz-target': request.target },
    signer,
    now,
  )
}

/** Returns the headers given and those of the signature, which covers them all. */
export function signHeaders(
  request: {
    readonly method: string
    readonly url: URL
    readonly service: string
    readonly region: string
    readonly payloadHash: string
  },
  given: Readonly<Record<string, string>>,
  signer: TokenSigner,
  now: number,
): Record<string, string> {
  const signedAt = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const date = signedAt.slice(0, 8)
  const headers: Record<string, string> = {
    ...given,
    host: request.url.host,
    'x-amz-date': signedAt,
    ...(signer.sessionToken === undefined ? {} : { 'x-amz-security-token': signer.sessionToken }),
  }
  const { service, region, payloadHash } = request
  const signedHeaders = Object.keys(headers).sort()
  const parts = {
    method: request.method,
    rawPath: request.url.pathname,
    rawQuery: request.url.search.slice(1),
    headers,
  }
  const scope = { service, region, date, signedAt, signedHeaders, payloadHash }
  const signature = signatureOf(parts, scope, signer).toString('hex')
  const credential = `${signer.accessKeyId}/${date}/${region}/${service}/aws4_request`
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
  }
}
