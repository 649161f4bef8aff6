import type { SecretBox } from '../../secrets.ts'
import type { Delivery, DeliveryEvent } from '../delivery/delivery.ts'
import type { HookClient, HookReply, HookRequest } from './hook-client.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'
import { type AuthResult, authRequest, readAuthReply, wantsAuth } from './auth-request.ts'
import { type JsonObject, inOrder } from '../definition/event-fields.ts'
import { hookRequest } from './hook-request.ts'
import { type HmacSha256, secretPurpose, signatureHeaders, signingSecrets } from '../definition/signing.ts'
import { headerValue } from './template.ts'

export interface HookCall {
  readonly hookClient: Pick<HookClient, 'send'>
  readonly clock: Clock
  readonly hmac: HmacSha256
}

/** A hook and the keys that sign for it, as {@link signingKeys} opened them. */
export interface SigningHook {
  readonly hook: Hook
  readonly keys: readonly Uint8Array[]
}

/** Returns the keys that sign for a hook at a time (epoch milliseconds), newest first. */
export function signingKeys(secretBox: Pick<SecretBox, 'open'>, hook: Hook, now: number): Promise<Uint8Array[]> {
  const purpose = secretPurpose(hook.domain, hook.id)
  return Promise.all(signingSecrets(hook, now).map(({ sealed }) => secretBox.open(sealed, purpose)))
}

/**
 * Why nothing was sent to the URL of a hook: its pre-request failed, or a request of it cannot be made of the event,
 * now or later.
 */
export type UnsentReason = 'auth_failed' | 'bad_template'

/** The result of calling a hook. */
export type CalledHook =
  /** Nothing was sent to the hook's URL. */
  | { readonly outcome: 'unsent'; readonly reason: UnsentReason }
  | { readonly outcome: 'sent'; readonly request: HookRequest; readonly reply: HookReply }

/** The identity of a request: its id, name and number. */
export type CallSubject = Pick<Delivery, 'id' | 'eventName' | 'sequence'>

/** Makes the auth pre-request where the hook wants one, then the hook's own request, signed at this moment. */
export async function callHook(
  tools: HookCall,
  { hook, keys }: SigningHook,
  subject: CallSubject,
  event: DeliveryEvent,
): Promise<CalledHook> {
  const fields = inOrder(event.fields)
  const auth = await authenticate(tools, hook, fields)
  if (typeof auth === 'string') return { outcome: 'unsent', reason: auth }
  const unsigned = hookRequest(hook, subject, { event: fields, auth: auth.values })
  if (unsigned === undefined) return { outcome: 'unsent', reason: 'bad_template' }
  const at = tools.clock.now()
  const signature = signatureHeaders({ id: subject.id, at, body: unsigned.body }, keys, tools.hmac)
  const request = {
    ...unsigned,
    headers: {
      ...withCookie(unsigned.headers, auth.cookie),
      ...signature,
      'webhook-sequence': String(subject.sequence),
    },
  }
  return { outcome: 'sent', request, reply: await tools.hookClient.send(request) }
}

const noAuth: AuthResult = { values: {}, cookie: '' }

async function authenticate(tools: HookCall, hook: Hook, fields: JsonObject): Promise<AuthResult | UnsentReason> {
  if (!wantsAuth(hook)) return noAuth
  const request = authRequest(hook, { event: fields, auth: {} })
  // It would be as long the next time.
  if (request === undefined) return 'bad_template'
  const result = readAuthReply(await tools.hookClient.send(request))
  if (result === undefined) return 'auth_failed'
  return hook.auth.cookie ? result : { ...result, cookie: '' }
}

function withCookie(headers: HookRequest['headers'], cookie: string): HookRequest['headers'] {
  if (cookie === '') return headers
  const own = headers['cookie']
  return { ...headers, cookie: headerValue(own === undefined ? cookie : `${own}; ${cookie}`) }
}
