import { SignatureV4 } from '@smithy/signature-v4'
import { type AdapterContext, required } from '../context.ts'
import { awsCredentials } from './credentials.ts'
import { type Answer, exchange } from './exchange.ts'
import { Sha256 } from './sha256.ts'

/** One request to a service of the cloud, before it is signed. */
export interface ServiceRequest {
  /** The name that the service signs by and that its address starts with: `sqs`, `kms`, `secretsmanager`. */
  readonly service: string
  /** The address to use instead of the region's own; absent or empty: the region's own. */
  readonly endpoint: string | undefined
  /** `POST` where absent. */
  readonly method?: string | undefined
  /** Takes the place of the address's own path; characters that a path may not hold stand in percent form. */
  readonly path?: string | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** Bytes of the answer that are taken; 4 MiB where absent. */
  readonly maxAnswerBytes?: number | undefined
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request signed with the process's credentials (Signature Version 4) to a service of its region. Rejects when
 * no answer came in time; judges no status.
 */
export async function signedRequest(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  request: ServiceRequest,
): Promise<Answer> {
  const { service, headers, body, timeoutMs, maxAnswerBytes, signal, method = 'POST', query = {} } = request
  const region = required(context, 'AWS_REGION')
  const url = addressOf(service, region, request.endpoint)
  if (request.path !== undefined) url.pathname = request.path
  url.search = Object.entries(query)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&')
  const credentials = await awsCredentials(context)
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 })
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: url.pathname,
      query,
      headers: { ...headers, host: url.host },
      body,
    },
    { signingDate: new Date(context.clock.now()) },
  )
  return exchange(url, { method, headers: signed.headers, body, timeoutMs, maxAnswerBytes, signal })
}

/** The address of a service: the one named, or that of the region where none or an empty one is. */
export function addressOf(service: string, region: string, endpoint: string | undefined): URL {
  return new URL(endpoint || `https://${service}.${region}.amazonaws.com`)
}
