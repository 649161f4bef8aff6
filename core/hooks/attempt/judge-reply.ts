import type { DeliveryAttempt } from '../delivery/delivery.ts'
import type { CalledHook } from '../request/call-hook.ts'

/** How much of an answer is kept with an attempt, from the contract. */
const snippetBytes = 1024

/** The result of an attempt, before the decision about a retry. */
export interface Verdict extends Pick<DeliveryAttempt, 'status' | 'reason' | 'replySnippet' | 'replacedHeaders'> {
  readonly isSuccess: boolean
  readonly retryAfter?: string | undefined
}

/** Judges what came of calling a hook: any 2xx is a success. */
export function judgeReply(called: CalledHook): Verdict {
  if (called.outcome === 'unsent') return { isSuccess: false, reason: called.reason }
  const { reply, request } = called
  const lost = request.replaced === undefined ? {} : { replacedHeaders: request.replaced }
  if (reply.outcome === 'failed') return { isSuccess: false, reason: reply.reason, ...lost }
  const { status } = reply
  const replySnippet = firstBytes(reply.body)
  if (status >= 200 && status < 300) return { isSuccess: true, status, replySnippet, ...lost }
  return {
    isSuccess: false,
    status,
    reason: `status ${status}`,
    replySnippet,
    ...lost,
    retryAfter: reply.headers['retry-after'],
  }
}

/** The first {@link snippetBytes} of a text's UTF-8, without a character cut in two. */
function firstBytes(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, snippetBytes))
  return new TextDecoder().decode(bytes.subarray(0, snippetBytes), { stream: true })
}
