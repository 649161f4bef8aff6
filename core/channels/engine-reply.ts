import type { CommandOutcome, OrderedBy } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'
import type { AccessScope } from '../access/acl.ts'
import { ownPresenceId } from '../access/permission.ts'
import type { Caller } from '../access/token.ts'

/** The time that an endpoint waits for the engine's answer. */
export const engineWaitMs = 20_000

const retryAfterSeconds = 5

/** The answer to an order to the engine. */
export interface EngineReply {
  readonly status: 'OK'
  /** The engine's answer in its own form: a line that begins with `+OK`. */
  readonly info: string
  /** Set when the engine had not answered in time: the call may still come up. */
  readonly pending?: true
}

/** Returns the success of an order whose text is fixed. */
export function okReply(info: string): EngineReply {
  return { status: 'OK', info }
}

/** Returns the answer to an order that was sent and is not answered yet: the call of this uuid may still come up. */
export function pendingReply(uuid: string): EngineReply {
  return { status: 'OK', info: `+OK ${uuid}\n`, pending: true }
}

type Run = CommandOutcome | undefined

/** Returns whether the engine was asked and gave no answer in time, as noticed by the endpoint or the connector. */
export function isUnanswered(outcome: Run): boolean {
  return outcome === undefined || (outcome.state === 'unknown' && outcome.reason === 'timeout')
}

/** The engine's own words for a channel that is not there. */
const noSuchChannel = /^-ERR no such channel/i

/**
 * Returns the engine's answer if it carried out the order. Every other outcome throws the error of the contract:
 * `not_found` when the channel does not exist for this caller, `engine_refused` with the engine's text,
 * `engine_unavailable` and `rate_limited` and `conflict` when nothing was sent, `engine_timeout` and `outcome_unknown`
 * when it may have had its effect. `placed` is the uuid that the service chose for a call; an `outcome_unknown` names
 * it, so that the call can be looked up.
 */
export function requireDone(outcome: Run, placed?: string): Extract<CommandOutcome, { state: 'done' }> {
  if (outcome === undefined || isUnanswered(outcome)) {
    throw new DomainError('engine_timeout', 'the engine did not answer in time')
  }
  switch (outcome.state) {
    case 'done':
      return outcome
    case 'absent':
      throw channelNotFound()
    case 'refused':
      if (noSuchChannel.test(outcome.text)) throw channelNotFound()
      throw new DomainError('engine_refused', outcome.text)
    case 'unsent':
      throw unsent(outcome.reason)
    case 'unknown':
      throw new DomainError(
        'outcome_unknown',
        'the command was sent to the engine and its fate is not known: look before you repeat it',
        placed === undefined ? {} : { details: [{ field: 'uuid', problem: `${placed} may be up` }] },
      )
  }
}

function channelNotFound(): DomainError {
  return new DomainError('not_found', 'no such channel')
}

function unsent(reason: Extract<CommandOutcome, { state: 'unsent' }>['reason']): DomainError {
  if (reason === 'busy') {
    return new DomainError('rate_limited', 'the engine has all the commands it can take', { retryAfterSeconds })
  }
  if (reason === 'observed') {
    return new DomainError('conflict', 'the engine is only observed (ENGINE_MODE=observe): nothing is changed at it')
  }
  return new DomainError('engine_unavailable', 'the engine cannot be reached', { retryAfterSeconds })
}

/** The caller of an order, and the reach of its permission. */
export interface Orderer {
  readonly caller: Caller
  /** `null` is root working in every domain. */
  readonly domain: string | null
  readonly scope: AccessScope
  readonly requestId?: string | undefined
}

/** Returns the channels that an order may touch: the domain's, or only the caller's own if the permission says so. */
export function commandScope({ caller, domain, scope, requestId }: Orderer): OrderedBy {
  return { domain, presenceId: scope === 'own' ? ownPresenceId(caller) : null, requestId }
}

type FieldText = readonly [field: string, text: string | undefined]

const reloads = /reload|unload/i
const module = /mod_event_socket/i
const problem = 'must not hold "mod_event_socket" in a request that holds "reload" or "unload" as well'

/**
 * Refuses texts that would make the engine reload its event socket and disconnect all its clients: any line does that
 * has both words in it, at any position. `domain` is part of the line too. Throws `invalid_field` that names each field
 * with the module in it.
 */
export function refuseReload(domain: string | null, texts: readonly FieldText[]): void {
  if (!reloads.test([domain ?? '', ...texts.map(([, text]) => text ?? '')].join(' '))) return
  const fields = texts.filter(([, text = '']) => module.test(text)).map(([field]) => field)
  const [first] = fields
  if (first === undefined) return
  throw new DomainError('invalid_field', `${first}: ${problem}`, {
    details: fields.map((field) => ({ field, problem })),
  })
}

/** Returns the names and values of a call's variables, by their fields. */
export function variableTexts(variables: Readonly<Record<string, string>>): FieldText[] {
  return Object.entries(variables).map(([name, value]) => [`variables.${name}`, `${name} ${value}`])
}
