import { CommanderError } from 'commander'
import { CallplaneError, type CallplaneErrorCode } from '../../client/index.ts'
import { CliError, type ExitCode, exitCodes } from './exit.ts'

/** A failure as the program reports it. */
export interface Failure {
  readonly exitCode: ExitCode
  readonly code: string
  readonly message: string
  readonly details: readonly string[]
  readonly wayOut?: string
  readonly requestId?: string
}

const signIn = 'sign in again with: callplane login --url <address> --user <login@domain>'
const waysOut: Partial<Readonly<Record<CallplaneErrorCode, string>>> = {
  invalid_token: signIn,
  token_expired: signIn,
  permission_denied: 'see what your role allows with: callplane whoami; another domain needs a login of that domain',
  domain_required: 'name the domain with --domain <name>',
  precondition_failed: 'it changed meanwhile: read it again and repeat the change',
  locked_out: 'too many logins failed: wait, or log in from another network',
  rate_limited: 'the platform limits how often this may be called: wait and repeat it',
  engine_unavailable: 'the platform has no link to its engine; see: callplane doctor',
  engine_timeout: 'the engine did not answer in time; look at the calls with: callplane channels list',
  outcome_unknown: 'look whether it happened before you repeat it',
  unreachable: 'check the address of the profile and that the platform runs; see: callplane doctor',
  timed_out: 'the platform is slow or away; see: callplane doctor',
  unexpected_answer: 'the address may be that of something else; see: callplane doctor',
  internal_error: 'the log of the platform has this request id',
}

/** Returns how to report a failure, and its exit code. Knows every error that a command can throw. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CallplaneError) return describeCall(error)
  if (error instanceof CliError) {
    const code = error.exitCode === exitCodes.notSignedIn ? 'not_signed_in' : 'failed'
    return { exitCode: error.exitCode, code, message: error.message, details: [] }
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
    return { exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.usage, code: 'usage', message, details: [] }
  }
  const message = error instanceof Error ? error.message : String(error)
  // A step of a plan that failed: its message names the step, and its cause has the rest.
  if (error instanceof Error && error.cause instanceof CallplaneError) return { ...describeCall(error.cause), message }
  return { exitCode: exitCodes.failed, code: 'failed', message, details: [] }
}

function describeCall(error: CallplaneError): Failure {
  const { code, details, info, requestId, retryAfterSeconds } = error
  const wait = retryAfterSeconds === undefined ? undefined : `repeat it in ${retryAfterSeconds} s`
  const wayOut = wait ?? (code === 'not_found' ? whereToLook(error) : waysOut[code])
  const isSignedOut = code === 'invalid_token' || code === 'token_expired' || code === 'invalid_credentials'
  const isAway = code === 'unreachable' || code === 'timed_out'
  return {
    exitCode: isSignedOut ? exitCodes.notSignedIn : isAway ? exitCodes.unreachable : exitCodes.failed,
    code,
    message: sentenceOf(info ?? error.message, details) + reasonOf(error.cause),
    details: details.map(({ field, problem }) => `${field}: ${problem}`),
    ...(wayOut === undefined ? {} : { wayOut }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** A field and its problem make one sentence: `event must be …`. */
function sentenceOf(info: string, [first]: CallplaneError['details']): string {
  if (first?.field === 'permission') return first.problem
  const isVerb = /^(?:must|is|are|has|have|needs|names|may|cannot)\b/.test(first?.problem ?? '')
  return isVerb && info === `${first?.field}: ${first?.problem}` ? `${first?.field} ${first?.problem}` : info
}

/** Where to look for what was not found, by the beginning of its path; `$1` is its name. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/\/channels\/([^/]+)/, 'a call that has ended: callplane cdr get $1; live calls: callplane channels list'],
  [/\/channels$/, 'see the accounts of the domain: callplane accounts list'],
  [/\/accounts\//, 'see the accounts of the domain: callplane accounts list'],
  [/\/hooks\/([^/]+)\/deliveries/, 'see what it sent: callplane hooks deliveries $1'],
  [/\/hooks\//, 'see the hooks of the domain: callplane hooks list'],
  [/\/cdr\/export/, 'begin the export again: callplane cdr export'],
  [/\/cdr\/api\/v2\/files\/([^/]+)/, 'see the recordings of the call: callplane recordings list $1'],
  [/\/cdr\//, 'a record is found within a minute after the call; a live one: callplane channels list'],
  [/\/routes\/default\//, 'see the routes of the domain: callplane routes list'],
  [/\/routes\/public\//, 'see the routes of the domain: callplane public-routes list'],
  [/\/routes\/blacklists/, 'see the lists of the domain: callplane blacklists list'],
  [/\/gateways\//, 'see the gateways of the domain: callplane gateways list'],
  [/\/acl\/roles/, 'see the roles of the domain: callplane api listRoles'],
  [/\/email\//, 'make email settings first: callplane api createEmailSettings'],
  [/\/settings\/token/, 'see the tokens of the domain: callplane tokens list'],
  [/\/versions/, 'see the kept versions: callplane rollback'],
  [/\/domains\//, 'see the domains: callplane domains list'],
]

function whereToLook({ request = '' }: CallplaneError): string {
  for (const [path, hint] of elsewhere) {
    const found = path.exec(request)
    if (found !== null) return hint.replaceAll('$1', decodeURIComponent(found[1] ?? ''))
  }
  return 'the name may be misspelt, or belong to another domain'
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error && 'code' in inner ? ` (${String(inner.code)})` : ''
}
