/** Requests over HTTP as they are written: `fetch` would mend the path and join the headers. */
import { once } from 'node:events'
import { request } from 'node:http'
import { checkOverHttp } from '../platform/declared.ts'

/** A request to a platform. */
export interface RawRequest {
  readonly method: string
  /** With the query, percent-encoded or not. */
  readonly path: string
  readonly body?: string | Buffer | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer to it. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/**
 * Sends a request to a platform. Throws where the answer, or a request that was served, is not as the routes declare.
 */
export async function rawRequest(platformUrl: string, sent: RawRequest): Promise<RawAnswer> {
  const { method, path, body, headers = {} } = sent
  const { hostname, port } = new URL(platformUrl)
  const outgoing = request({ hostname, port, method, path, headers, agent: false })
  // A platform that refuses a long body answers first, and then may reset the connection that is still being written.
  outgoing.on('error', () => {})
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(Buffer.from(chunk))
  const answer = { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }
  const contentType = String(response.headers['content-type'] ?? '')
  checkOverHttp({ method, path, text: body?.toString() }, { ...answer, contentType })
  return answer
}
