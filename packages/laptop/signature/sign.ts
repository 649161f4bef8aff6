import { type Hash, type Hmac, createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'

/** The key of a signer; temporary credentials have a token. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

type Bytes = string | ArrayBuffer | ArrayBufferView

function bytesOf(given: Bytes): string | Uint8Array {
  if (typeof given === 'string') return given
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given)
}

/** SHA-256, and its HMAC where there is a secret, as signers use it. */
class Sha256 {
  readonly #hash: Hash | Hmac
  constructor(secret?: Bytes) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }
  update(given: Bytes): void {
    this.#hash.update(bytesOf(given))
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
}

/** Returns what makes AWS Signatures Version 4 for a service. S3 signs a path as it is in the request. */
export function signerFor(service: string, region: string, { sessionToken, ...key }: Signer): SignatureV4 {
  const credentials = sessionToken === undefined ? key : { ...key, sessionToken }
  const uriEscapePath = service !== 's3'
  return new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath, applyChecksum: false })
}

/** Returns the parts of a request's address as signers take them. */
export function addressParts(path: string, query: URLSearchParams) {
  const values = Object.groupBy(query, ([name]) => name)
  const bag = Object.entries(values).map(([name, pairs = []]) => [name, pairs.map(([, value]) => value)] as const)
  return { protocol: 'http:', hostname: '', path, query: Object.fromEntries(bag) }
}

/**
 * Returns the headers given and those of the signature, which covers them all. The hash of the body is that of the
 * header `x-amz-content-sha256` where it is given.
 */
export async function signHeaders(
  request: {
    readonly method: string
    readonly url: URL
    readonly service: string
    readonly region: string
    readonly body?: string | Buffer
  },
  given: Readonly<Record<string, string>>,
  signer: Signer,
): Promise<Record<string, string>> {
  const { method, url, service, region, body } = request
  const headers = { ...given, host: url.host }
  const address = addressParts(url.pathname, url.searchParams)
  return (await signerFor(service, region, signer).sign({ method, ...address, headers, body })).headers
}
