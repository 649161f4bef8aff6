import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { checkTimeLimit } from '../time-limit.ts'

/** What a service of the cloud answered. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** Answers of these services are small; a longer one is cut off by {@link AnswerTooLong}. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** That an answer had more bytes than its reader takes. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
}

const httpAgent = new HttpAgent({ keepAlive: true })
const httpsAgent = new HttpsAgent({ keepAlive: true })

/** One request, ready to go. */
export interface Exchange {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** Bytes of the answer that are taken; 4 MiB where absent. */
  readonly maxAnswerBytes?: number | undefined
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined
}

/**
 * One HTTP exchange with a service of the cloud, over connections that are kept. Node's own
 * client: `fetch` would add its load time to a cold start. Rejects when no whole answer came in time, and sends nothing
 * for work that is past its limit ({@link checkTimeLimit}).
 */
export async function exchange(url: URL, given: Exchange): Promise<Answer> {
  checkTimeLimit()
  const isSecure = url.protocol === 'https:'
  const timeout = AbortSignal.timeout(given.timeoutMs)
  const most = given.maxAnswerBytes ?? MAX_ANSWER_BYTES
  const options = {
    method: given.method,
    // Node tells the length by itself only with some methods, and writes the body with all.
    headers: given.body ? { ...given.headers, 'content-length': Buffer.byteLength(given.body) } : given.headers,
    agent: isSecure ? httpsAgent : httpAgent,
    signal: given.signal === undefined ? timeout : AbortSignal.any([timeout, given.signal]),
  }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
      const chunks: Buffer[] = []
      let length = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > most) response.destroy(new AnswerTooLong(`answer of more than ${most} bytes`))
        else chunks.push(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
    })
    request.on('error', reject)
    request.end(given.body)
  })
}
