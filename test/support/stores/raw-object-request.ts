import { createHash } from 'node:crypto'
import { environment } from '../../../contracts/environment.ts'
import { signHeaders } from '../../../packages/laptop/signature/sign.ts'

/** A request to the object store, word for word. */
export interface RawObjectRequest {
  readonly method: string
  /** From the slash before the bucket on. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Signs a request with the credentials of an environment and sends it to the object store of the same. */
export async function rawObjectRequest(
  env: Readonly<Record<string, string>>,
  { method, path, query = {}, headers = {}, body = '' }: RawObjectRequest,
): Promise<Response> {
  const url = new URL(path, env[environment.s3Endpoint])
  url.search = new URLSearchParams(query).toString()
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const signer = {
    accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '',
    sessionToken: env['AWS_SESSION_TOKEN'] ?? '',
  }
  const parts = { method, url, service: 's3', region: 'us-east-1' }
  const { host: _host, ...signed } = await signHeaders(parts, { 'x-amz-content-sha256': payloadHash }, signer)
  return fetch(url, { method, headers: { ...signed, ...headers }, body: body === '' ? null : body })
}

/** The text of the first element of a name in an answer of the object store. */
export function elementIn(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
}
