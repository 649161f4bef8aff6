import type { CommandOutcome } from '../../core/commands/commands.ts'
import { noSuchChannel } from '../calls/engine-channels.ts'
import type { LineCommand } from './command-line.ts'

/** `-ERR`, `-ERROR` and `-USAGE` are how the engine says no. */
const refusal = /^-(?:ERR|USAGE)/

/** The answer to an accepted originate: the uuid of the channel that was really made. */
const madeChannel = /^\+OK ([0-9a-fA-F-]{36})\s*$/

/** The engine answered, and did not say what it has done. */
const unclear = { state: 'unknown', reason: 'unclear' } as const

/** The engine's answer to a hold of a channel that is on hold already, and to an unhold of one that is not. */
const operationFailed = /^-ERR Operation failed/i

/**
 * Returns the outcome of a command from the engine's own words, unchanged. Text without a mark counts as done for the
 * commands that answer plain data. An order to a channel is done when the engine says `+OK`. The outcome of an
 * originate has the uuid that the engine answers, which may differ from the requested one; without one it is unknown.
 */
export function outcomeOf(kind: LineCommand['kind'], reply: string): CommandOutcome {
  if (noSuchChannel.test(reply)) return { state: 'absent' }
  if (refusal.test(reply)) return { state: 'refused', text: reply }
  if (kind === 'flush-account' || kind === 'flush-directory') return { state: 'done', text: reply }
  if (kind !== 'originate' && kind !== 'eavesdrop')
    return reply.startsWith('+OK') ? { state: 'done', text: reply } : unclear
  const uuid = madeChannel.exec(reply)?.[1]?.toLowerCase()
  return uuid === undefined ? unclear : { state: 'done', text: reply, uuid }
}

/**
 * Returns whether the engine's refusal of a hold or unhold may only mean that the channel already is in the requested
 * state.
 */
export function maybeSoAlready(kind: LineCommand['kind'], reply: string): boolean {
  return (kind === 'hold' || kind === 'unhold') && operationFailed.test(reply)
}

/**
 * Returns the one outcome of a command that was sent to several engines. It is done if all have done it. Otherwise the
 * worst outcome counts: unknown, then not sent (which may be repeated), then refused, then absent.
 */
export function outcomeOfAll(outcomes: readonly CommandOutcome[]): CommandOutcome {
  for (const state of ['unknown', 'unsent', 'refused', 'absent'] as const) {
    const worst = outcomes.find((outcome) => outcome.state === state)
    if (worst !== undefined) return worst
  }
  const [first = { state: 'unsent', reason: 'disconnected' }, ...others] = outcomes
  if (first.state !== 'done' || others.length === 0) return first
  const texts = outcomes.map((outcome) => (outcome.state === 'done' ? outcome.text : ''))
  return { ...first, text: [...new Set(texts)].join('') }
}
