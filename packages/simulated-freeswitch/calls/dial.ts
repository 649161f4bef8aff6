import { contactUri } from '../phones/registration.ts'
import type { Engine } from './engine.ts'
import type { Channel } from './channel.ts'
import { type DialString, type DialledEndpoint, parseDialString } from './dial-string.ts'
import { endChannel, hangUp } from './flow.ts'
import { callGateway } from './gateway-leg.ts'
import { causeNamed } from './hangup-cause.ts'
import { callLoopback } from './loopback-leg.ts'
import { type DialledLeg, type LegRequest, ringPhone } from './phone-leg.ts'

/** How a dial string is called. */
export interface DialOptions extends LegRequest {
  readonly timeoutMs: number
}

/** The leg that was answered, or why none was. */
export type DialResult = { readonly channel: Channel } | { readonly cause: string }

/** Calls what a dial string says: alternatives one after the other, of each all end points at once. */
export async function dial(engine: Engine, text: string, options: DialOptions): Promise<DialResult> {
  const parsed = parseDialString(text)
  return parsed === undefined ? { cause: 'DESTINATION_OUT_OF_ORDER' } : dialParsed(engine, parsed, options)
}

/** Calls a dial string that was taken apart already. */
export async function dialParsed(engine: Engine, parsed: DialString, options: DialOptions): Promise<DialResult> {
  const deadline = engine.timers.now() + options.timeoutMs
  let cause = 'NORMAL_CLEARING'
  for (const endpoints of parsed.alternatives) {
    const remaining = deadline - engine.timers.now()
    if (remaining <= 0) break
    const result = await dialAtOnce(engine, endpoints, { ...options, timeoutMs: remaining })
    if ('channel' in result) return result
    cause = result.cause
  }
  return { cause }
}

async function dialAtOnce(
  engine: Engine,
  endpoints: readonly DialledEndpoint[],
  options: DialOptions,
): Promise<DialResult> {
  const started = await Promise.all(endpoints.map((endpoint) => startLeg(engine, endpoint, options)))
  const legs = started.filter((leg) => 'channel' in leg)
  const refusal = started.find((leg) => 'cause' in leg)
  if (legs.length === 0) return refusal ?? { cause: 'NORMAL_CLEARING' }
  const endAll = (cause: string) => {
    for (const { channel } of legs) hangUp(engine, channel, cause)
  }
  const release = options.originator?.onInterrupt(() => endAll('ORIGINATOR_CANCEL'))
  const cancel = engine.timers.after(options.timeoutMs, () => endAll('NO_ANSWER'))
  const winner = await firstAnswered(legs)
  cancel()
  release?.()
  if (winner === undefined) return { cause: legs[0]?.channel.hangupCause ?? 'NORMAL_CLEARING' }
  for (const { channel } of legs) if (channel !== winner) loseRace(engine, channel)
  return { channel: winner }
}

/** An answered loser must be ended here: no other code drives it. */
function loseRace(engine: Engine, channel: Channel): void {
  const answered = channel.answerState === 'answered'
  hangUp(engine, channel, 'LOSE_RACE')
  if (answered) endChannel(engine, channel)
}

function firstAnswered(legs: readonly DialledLeg[]): Promise<Channel | undefined> {
  return new Promise((resolve) => {
    let open = legs.length
    const follow = async ({ channel, answered }: DialledLeg) => {
      const yes = await answered
      open--
      if (yes) resolve(channel)
      else if (open === 0) resolve(undefined)
    }
    for (const leg of legs) void follow(leg)
  })
}

async function startLeg(
  engine: Engine,
  { endpoint, variables }: DialledEndpoint,
  options: DialOptions,
): Promise<DialledLeg | { cause: string }> {
  const request = { ...options, variables: { ...options.variables, ...variables } }
  const [kind = '', ...path] = endpoint.trim().split('/')
  if (kind === 'user') return ringUser(engine, path.join('/'), request)
  if (kind === 'loopback') {
    const [extension = '', context = 'default'] = path
    return callLoopback(engine, { extension, context }, request)
  }
  if (kind === 'sofia' && path[0] === 'gateway') return callGateway(engine, path.slice(1), request)
  return {
    cause:
      kind === 'sofia'
        ? sofiaCause(engine, path)
        : kind === 'error'
          ? causeNamed(path[0] ?? '')
          : 'CHAN_NOT_IMPLEMENTED',
  }
}

/** A user is called by the directory's word and at its registered phone only. */
async function ringUser(engine: Engine, address: string, request: LegRequest): Promise<DialledLeg | { cause: string }> {
  const at = address.lastIndexOf('@')
  if (at < 1) return { cause: 'SUBSCRIBER_ABSENT' }
  const question = { user: address.slice(0, at), domain: address.slice(at + 1), action: 'user_call' } as const
  const user = await engine.directory.find(question)
  if (user === undefined) return { cause: 'SUBSCRIBER_ABSENT' }
  engine.phones.noteDomain(user.domain)
  // The calling leg carries these from now on, also when the call is not answered (`events/callee-not-registered`).
  request.originator?.set({ dialed_user: user.login, dialed_domain: user.domain })
  const contact = engine.phones.find(user.login, user.domain)
  const isRefused = contact !== undefined && contact.parameters !== '' && !engine.ringsContact(contactUri(contact))
  return contact === undefined || isRefused ? { cause: 'USER_NOT_REGISTERED' } : ringPhone(engine, contact, request)
}

/** There is no network beyond phones and gateways, so that every other SIP address fails in its own way. */
function sofiaCause({ phones }: Engine, [profile = '', address = '']: readonly string[]): string {
  if (profile !== phones.profile) return 'INVALID_PROFILE'
  return address.includes('@') ? 'NORMAL_TEMPORARY_FAILURE' : 'USER_NOT_REGISTERED'
}
