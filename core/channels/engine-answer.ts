import type { CommandOutcome } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'

/** The time that an endpoint waits for the engine's answer. */
export const engineWaitMs = 20_000

const retryAfterSeconds = 5

/** The answer to an order to the engine. */
export interface EngineAnswer {
  readonly status: 'OK'
  /** The engine's answer in its own form: a line that begins with `+OK`. */
  readonly info: string
  /** Set when the engine had not answered in time: the call may still come up. */
  readonly pending?: true
}

/** Returns the success of an order whose text is fixed. */
export function okAnswer(info: string): EngineAnswer {
  return { status: 'OK', info }
}

/** Returns the answer to an order that was sent and is not answered yet: the call of this uuid may still come up. */
export function pendingAnswer(uuid: string): EngineAnswer {
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
