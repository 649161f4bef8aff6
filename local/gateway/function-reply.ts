import * as z from 'zod/mini'

/** What goes back to the client. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

const answer = z.object({
  statusCode: z.coerce.number().check(z.minimum(100), z.maximum(599)),
  headers: z.optional(z.nullable(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))),
  cookies: z.optional(z.array(z.string())),
  body: z.optional(z.nullable(z.string())),
  isBase64Encoded: z.optional(z.boolean()),
})

/**
 * A function's result as an HTTP reply, by the rules of payload format 2.0: an object with `statusCode` is the reply,
 * anything else is the JSON body of a 200. The content type is JSON unless told.
 */
export function functionReply(result: unknown): Reply {
  if (typeof result === 'object' && result !== null && 'statusCode' in result) {
    const parsed = z.safeParse(answer, result)
    if (!parsed.success) return gatewayReply(500, 'Internal Server Error')
    const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data
    const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    return {
      status: statusCode,
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(given),
        ...(cookies === undefined ? {} : { 'set-cookie': cookies }),
      },
      body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
    }
  }
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
}

/** A reply that the gateway itself makes, in its own form. */
export function gatewayReply(status: number, message: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message })) }
}
