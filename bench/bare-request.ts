import { type Hash, type Hmac, createHash, createHmac } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { SignatureV4 } from '@smithy/signature-v4'

/** A signed request to a service, with nothing around it: what the clients are compared with. */
export interface BareRequest {
  readonly service: string
  readonly endpoint: string
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of the service. */
export interface BareAnswer {
  readonly status: number
  readonly body: string
}

const agent = new Agent({ keepAlive: true })

/** Signs a `POST` with the credentials of an environment and sends it over a connection that stays open. */
export async function bareRequest(
  env: Readonly<Record<string, string | undefined>>,
  { service, endpoint, path = '/', query = {}, headers, body }: BareRequest,
): Promise<BareAnswer> {
  const url = new URL(endpoint)
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN, AWS_REGION = '' } = env
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
    region: AWS_REGION,
    service,
    sha256: Sha256,
  })
  const signed = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path,
    query: { ...query },
    headers: { ...headers, host: url.host },
    body,
  })
  url.pathname = path
  url.search = new URLSearchParams(query).toString()
  return send(url, { ...signed.headers, 'content-length': String(Buffer.byteLength(body)) }, body)
}

function send(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<BareAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

type Bytes = string | ArrayBuffer | ArrayBufferView

/** SHA-256, or HMAC-SHA-256 with a key, in the form that the signer asks for. */
class Sha256 {
  readonly #key: Bytes | undefined
  #hash: Hash | Hmac

  constructor(key?: Bytes) {
    this.#key = key
    this.#hash = fresh(key)
  }

  update(data: Bytes): void {
    this.#hash.update(plain(data))
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest())
  }

  reset(): void {
    this.#hash = fresh(this.#key)
  }
}

function fresh(key: Bytes | undefined): Hash | Hmac {
  return key === undefined ? createHash('sha256') : createHmac('sha256', plain(key))
}

function plain(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
