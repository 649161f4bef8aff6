import { isRecord } from '../assembly/record.ts'

/** The reply to the client. */
export interface Reply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string | Buffer
}

/** A function's result that is no reply. */
export class MalformedResult extends Error {
  override readonly name = 'MalformedResult'
}

const json = 'application/json'

/**
 * Returns a function's result as an HTTP reply, by the rules of payload format 2.0: an object with `statusCode` is the
 * reply, anything else is the JSON body of a 200. The content type is JSON unless the function names another. Throws
 * {@link MalformedResult} for any other. Checked by hand: this runs for every request.
 */
export function functionReply(result: unknown): Reply {
  if (!isRecord(result) || !('statusCode' in result)) {
    return {
      status: 200,
      headers: { 'content-type': json },
      body: typeof result === 'string' ? result : JSON.stringify(result),
    }
  }
  const status = Number(result['statusCode'])
  const body = result['body'] ?? ''
  if (!Number.isInteger(status) || status < 100 || status > 599 || typeof body !== 'string') {
    throw new MalformedResult('the function answered no reply')
  }
  const headers: Record<string, string | string[]> = { 'content-type': json }
  if (isRecord(result['headers'])) {
    for (const [name, value] of Object.entries(result['headers'])) headers[name.toLowerCase()] = String(value)
  }
  const { cookies } = result
  if (Array.isArray(cookies)) headers['set-cookie'] = cookies.map(String)
  return { status, headers, body: result['isBase64Encoded'] === true ? Buffer.from(body, 'base64') : body }
}
