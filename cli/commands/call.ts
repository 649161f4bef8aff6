import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { CallplaneError } from '../../client/index.ts'
import { type CallLeg, type CallOutcome, endText, followCall } from '../calls/follow-call.ts'
import { CliError } from '../failure/exit.ts'
import { wholeNumber } from '../input/values.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

interface CallOptions {
  readonly from?: string
  readonly timeout?: number
  readonly detach?: true
}

/** Adds the command that places a call. */
export function addCall(program: Command, terminal: Terminal): void {
  program
    .command('call <number>')
    .description('Ring an account, connect it with a number when it answers, and say how that went.')
    .option('--from <login>', 'the account that is rung (default: yours)')
    .option('--timeout <seconds>', 'how long it rings', wholeNumber(5, 120))
    .option('--detach', 'print the id of the call when the account has answered, and do not follow it')
    .addHelpText(
      'after',
      `\nEnds with 0 when the number has answered, and with 1 when it is busy, does not answer or is not reached.\n${examples('call 9196', 'call 4930123456 --from 1001', 'call 4930123456 --from 1001 --detach')}`,
    )
    .action(withSession(terminal, placeCall))
}

async function placeCall(session: Session, calledId: string, options: CallOptions): Promise<void> {
  const { client, out, query, signal } = session
  const from = options.from === undefined ? {} : { callerId: options.from }
  const timeout = options.timeout === undefined ? {} : { timeout: options.timeout }
  const who = options.from ?? 'your phone'
  const begun = Date.now()
  const seconds = () => Math.round((Date.now() - begun) / 100) / 10
  if (options.detach !== true) out.progress(`ringing ${who} …`)
  const answer = await client
    .call('originateCall', { query, body: { calledId, ...from, ...timeout }, signal })
    .catch((error: unknown) => refuseInWords(error, who))
  const uuid = answer.info.replace(/^\+OK\s+/, '').trim()
  if (options.detach === true) {
    out.done(answer, uuid)
    if (answer.pending === true) out.note('the account is still ringing')
    return
  }
  if (!out.isJson) {
    out.line(uuid, 'dim')
    out.line(`ringing ${who} … ${answer.pending === true ? 'no answer yet' : `answered after ${seconds()} s`}`)
  }
  out.progress(`ringing ${calledId} …`)
  const outcome = await follow(session, uuid)
  if (outcome === undefined) return out.note(`the call goes on; end it with: callplane hangup ${uuid}`)
  out.clear()
  report(session, { ...answer, uuid, result: outcome.result, seconds: seconds() }, calledId, outcome)
}

/** Prints how a call went. Throws if it ended before the number answered, other than by an ordinary hang-up. */
function report(
  { out }: Pick<Session, 'out'>,
  shown: { readonly uuid: string; readonly result: string; readonly seconds: number },
  calledId: string,
  outcome: CallOutcome,
): void {
  if (outcome.result === 'answered') {
    if (out.isJson) return out.json(shown)
    const parts = [{ text: `ringing ${calledId} …` }, { text: 'answered', style: 'green' as const }]
    return out.fittedLine([...parts, { text: `after ${shown.seconds} s` }], ' ')
  }
  const { cause } = outcome
  if (out.isJson) out.json({ ...shown, ...(cause === undefined ? {} : { hangupCause: cause }) })
  if (cause === 'NORMAL_CLEARING') return out.note(`the call with ${calledId} ended (NORMAL_CLEARING)`)
  const unknown = `ended, and its record is not there yet; see: callplane cdr get ${shown.uuid}`
  throw new CliError(`${calledId}: ${cause === undefined ? unknown : endText(cause)}`)
}

/** Follows a call, unless the user's role may not list channels. */
async function follow({ client, query, signal, out }: Session, uuid: string): Promise<CallOutcome | undefined> {
  const legs = async (): Promise<readonly CallLeg[]> => {
    const filter = JSON.stringify({ call_uuid: uuid })
    const { data } = await client.call('listChannels', { query: { ...query, filter }, signal })
    return data.rows
  }
  const cause = async () => {
    const { data } = await client.call('readCdr', { params: { uuid }, query, signal })
    return typeof data['hangup_cause'] === 'string' ? data['hangup_cause'] : undefined
  }
  const wait = (ms: number) => pause(ms, undefined, { signal })
  try {
    return await followCall(uuid, { legs, cause: () => cause().catch(unlessAbsent), wait, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof CallplaneError) || error.code !== 'permission_denied') throw error
    out.warn('your role may not list channels, so the call is not followed')
    return undefined
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!(error instanceof CallplaneError) || (error.status !== 404 && error.status !== 403)) throw error
}

/** Tells in words why the rung account did not answer; other refusals stay as they are. */
function refuseInWords(error: unknown, who: string): never {
  const found =
    error instanceof CallplaneError && error.code === 'engine_refused' ? /-ERR ([A-Z_]+)/.exec(error.info ?? '') : null
  throw found?.[1] === undefined ? error : new CliError(`${who}: ${endText(found[1])}`, undefined, error)
}
