import type { Delivery, DeliveryAttempt, Hook } from '../model.ts'
import type { Clock, DeliveryStore, HookClient, HookReply, HookRequest, HookStore, SecretBox } from '../ports.ts'
import { type AuthResult, authRequest, readAuthReply, wantsAuth } from './auth-request.ts'
import { headerValue } from './template.ts'
import { hookRequest } from './hook-request.ts'
import { type HmacSha256, secretPurpose, signatureHeaders, signingSecrets } from './signing.ts'

/** Which attempt is to be made. */
export interface WantedAttempt {
  readonly id: string
  readonly domain: string
  readonly hookId: string
  /** 1 for the first. */
  readonly attempt: number
}

/** What the use case works with. */
export interface DeliveryTools {
  readonly hooks: Pick<HookStore, 'read'>
  readonly deliveries: Pick<DeliveryStore, 'read' | 'recordAttempt'>
  readonly hookClient: Pick<HookClient, 'send'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly clock: Clock
  readonly hmac: HmacSha256
}

/** How much of an answer is kept with an attempt, from the contract. */
const snippetBytes = 1024

/** What came of an attempt. */
interface Verdict {
  readonly state: Delivery['state']
  readonly status?: number
  readonly reason?: string
  readonly replySnippet?: string
}

/** What was made of an attempt: as it is on record, and the state that it left the delivery in. */
export interface MadeAttempt {
  readonly state: Delivery['state']
  readonly attempt: DeliveryAttempt
}

/**
 * Makes one attempt to deliver and records it. The hook is read again first: a deleted or disabled one sends nothing.
 * Safe to repeat: an attempt that is on record, or whose delivery has ended, is not made again, and gives `undefined`.
 */
export async function attemptDelivery(tools: DeliveryTools, wanted: WantedAttempt): Promise<MadeAttempt | undefined> {
  const delivery = await tools.deliveries.read(wanted.domain, wanted.hookId, wanted.id)
  if (delivery === undefined || delivery.state !== 'pending' || delivery.attempts.length >= wanted.attempt) {
    return undefined
  }
  const hook = await tools.hooks.read(wanted.domain, wanted.hookId)
  const at = tools.clock.now()
  const { state, ...verdict } = await deliver(tools, hook, delivery)
  const attempt: DeliveryAttempt = { at, durationMs: tools.clock.now() - at, ...verdict }
  await tools.deliveries.recordAttempt(delivery, attempt, state)
  return { state, attempt }
}

async function deliver(tools: DeliveryTools, hook: Hook | undefined, delivery: Delivery): Promise<Verdict> {
  if (hook === undefined) return { state: 'skipped', reason: 'hook_deleted' }
  if (!hook.enable) return { state: 'skipped', reason: 'hook_disabled' }
  const auth = await authenticate(tools, hook, delivery)
  if (auth === undefined) return { state: 'failed', reason: 'auth_failed' }
  const request = hookRequest(hook, delivery, { event: delivery.event.fields, auth: auth.values })
  if (request === undefined) return { state: 'failed', reason: 'bad_template' }
  const at = tools.clock.now()
  const keys = await Promise.all(
    signingSecrets(hook, at).map(({ sealed }) => tools.secretBox.open(sealed, secretPurpose(hook.domain, hook.id))),
  )
  const signature = signatureHeaders({ id: delivery.id, at, body: request.body }, keys, tools.hmac)
  const headers = { ...withCookie(request.headers, auth.cookie), ...signature }
  return judge(await tools.hookClient.send({ ...request, headers }))
}

const noAuth: AuthResult = { values: {}, cookie: '' }

async function authenticate(tools: DeliveryTools, hook: Hook, delivery: Delivery): Promise<AuthResult | undefined> {
  if (!wantsAuth(hook)) return noAuth
  const request = authRequest(hook, { event: delivery.event.fields, auth: {} })
  const result = request === undefined ? undefined : readAuthReply(await tools.hookClient.send(request))
  return result === undefined || hook.auth.cookie ? result : { ...result, cookie: '' }
}

function withCookie(headers: HookRequest['headers'], cookie: string): HookRequest['headers'] {
  if (cookie === '') return headers
  const own = headers['cookie']
  return { ...headers, cookie: headerValue(own === undefined ? cookie : `${own}; ${cookie}`) }
}

/** Any 2xx is a success; one attempt decides. */
function judge(reply: HookReply): Verdict {
  if (reply.outcome === 'failed') return { state: 'failed', reason: reply.reason }
  const { status } = reply
  const replySnippet = firstBytes(reply.body)
  if (status >= 200 && status < 300) return { state: 'delivered', status, replySnippet }
  return { state: 'failed', status, reason: `status ${status}`, replySnippet }
}

/** The first {@link snippetBytes} of a text's UTF-8, without a character cut in two. */
function firstBytes(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, snippetBytes))
  return new TextDecoder().decode(bytes.subarray(0, snippetBytes), { stream: true })
}
