import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { CallplaneError } from '../../client/index.ts'
import { type CallOutcome, endText, followCall } from '../calls/follow-call.ts'
import { seenCall } from '../calls/seen-call.ts'
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
      `\nEnds with 0 when the number has answered, and with 1 when it was not seen to answer.\n${examples('call 9196', 'call 4930123456 --from 1001', 'call 4930123456 --from 1001 --detach')}`,
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
  const show = ({ result, cause: hangupCause }: CallOutcome) => {
    out.clear()
    if (out.isJson) out.json({ ...answer, uuid, result, seconds: seconds(), ...(hangupCause && { hangupCause }) })
  }
  const outcome = await follow(session, uuid, calledId).catch((error: unknown) => {
    show({ result: 'not_followed' })
    throw error
  })
  show(outcome ?? { result: 'not_followed' })
  if (outcome === undefined) return out.note(goesOn(uuid))
  report(session, { uuid, seconds: seconds() }, calledId, outcome)
}

const goesOn = (uuid: string) => `the call goes on; end it with: callplane hangup ${uuid}`

/** Says how a call went. Throws unless the number was seen to answer. */
function report(
  { out }: Pick<Session, 'out'>,
  { uuid, seconds }: { readonly uuid: string; readonly seconds: number },
  calledId: string,
  { result, cause, isDenied }: CallOutcome,
): void {
  if (result === 'answered') {
    if (out.isJson) return
    const parts = [{ text: `ringing ${calledId} …` }, { text: 'answered', style: 'green' as const }]
    const end = cause === undefined ? `after ${seconds} s` : `and ended (${cause})`
    return out.fittedLine([...parts, { text: end }], ' ')
  }
  if (result === 'not_followed') {
    throw new CliError(`${calledId}: not followed, since your role does not see whether it answers; ${goesOn(uuid)}`)
  }
  if (isDenied === true) throw new CliError(`${calledId}: ended, and your role may not read its record`)
  const unknown = `ended, and its record is not there yet; see: callplane cdr get ${uuid}`
  const unseen = cause === 'NORMAL_CLEARING' ? ', and was not seen to answer' : ''
  throw new CliError(`${calledId}: ${cause === undefined ? unknown : endText(cause) + unseen}`)
}

/** Follows a call, as far as the user's role may list channels. */
async function follow(session: Session, uuid: string, calledId: string): Promise<CallOutcome | undefined> {
  const { out, signal } = session
  const seen = seenCall(session, uuid)
  let waitsFor = `ringing ${calledId} …`
  const end = () => {
    waitsFor = 'the call has ended; waiting for its record …'
    return seen.end()
  }
  const wait = async (ms: number) => {
    out.progress(waitsFor)
    await pause(ms, undefined, { signal })
  }
  try {
    return await followCall(uuid, { ...seen, end, wait, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof CallplaneError) || error.code !== 'permission_denied') throw error
    return { result: 'not_followed' }
  }
}

/** Tells in words why the rung account did not answer; other refusals stay as they are. */
function refuseInWords(error: unknown, who: string): never {
  const found =
    error instanceof CallplaneError && error.code === 'engine_refused' ? /-ERR ([A-Z_]+)/.exec(error.info ?? '') : null
  throw found?.[1] === undefined ? error : new CliError(`${who}: ${endText(found[1])}`, undefined, error)
}
