import type { Account } from '../accounts/account.ts'
import type { Domain } from '../domains/domain.ts'
import type { RoutedCall } from './call-plan.ts'
import { isSafeName } from '../requests/safe-text.ts'
import type { EngineAction } from './engine-action.ts'
import { type PlannedAction, positionVariable } from './run-callflow.ts'
import { termsOfCalling } from './gateway-terms.ts'
import { accountPattern, application, set } from './step-values.ts'

/** Marks a call to an emergency number, so that no blacklist stops it wherever its route sends it. */
export const emergencyVariable = 'svc_emergency'

/** Seconds for which an account rings without a `call_timeout` of its own. */
const ringSeconds = '60'

/** A call, and whether it is exempt from blacklists: one to an emergency number, or one that came of such a call. */
export interface JudgedCall extends RoutedCall {
  readonly isExempt: boolean
}

/**
 * Returns the applications of every call before its route, as in the static dial plan of the engine kit: its account
 * (the one that the engine authenticated), the end of legs without media, and the name of its recording. A call from a
 * gateway is counted first, and gets its domain: also for the phones that transfer it.
 */
export function actionsOfEveryCall({
  domain,
  gateway,
  caller: { login, nameToShow },
  variables,
  isExempt,
}: JudgedCall): PlannedAction[] {
  return [
    ...(gateway === undefined ? [] : [set('w_domain', domain), ...termsOfCalling(gateway, isExempt)]),
    ...(gateway === undefined ? [] : [set('force_transfer_context', domain)]),
    ...(gateway?.srtp === 'required' ? [set('rtp_secure_media_inbound', 'mandatory')] : []),
    ...(variables.has(positionVariable) ? [application('unset', positionVariable)] : []),
    ...(login !== undefined && accountPattern.test(login) ? ofAccount(login, domain, nameToShow) : []),
    application('export', 'media_timeout=300000'),
    application('export', 'media_hold_timeout=1800000'),
    set('recording_file', `\${recordings_folder}/${domain}/\${uuid}.wav`),
    set('RECORD_STEREO', 'false'),
    set('media_bug_answer_req', 'true'),
    set('recording_follow_transfer', 'true'),
    ...(isExempt ? [set(emergencyVariable, 'true')] : []),
  ].map((action) => planned('call', action))
}

/** Shows colleagues, events and CDRs the account instead of what the phone sent. */
function ofAccount(login: string, domain: string, nameToShow: string | undefined): EngineAction[] {
  const shown = { caller_id_number: login, caller_id_name: nameToShow, ani: login, aniii: '' }
  const settings = nameToShow === undefined ? [] : Object.entries(shown)
  return [
    set('presence_id', `${login}@${domain}`),
    ...settings.map(([name, value]) => application('set_profile_var', `${name}=${value}`)),
  ]
}

/** Returns the applications that ring an account, then open its mailbox if it has one. */
export function ringActions({ login, variables, parameters }: Account, domain: Domain): PlannedAction[] {
  const isEnabled = (parameters['vm-enabled'] ?? domain.parameters['vm-enabled']) === 'true'
  const isMailbox = isEnabled && isSafeName(login)
  const timeout = variables['call_timeout'] ?? domain.variables['call_timeout'] ?? ''
  const ring = [
    set('hangup_after_bridge', 'true'),
    set('continue_on_fail', String(isMailbox)),
    set('call_timeout', /^\d{1,5}$/.test(timeout) ? timeout : ringSeconds),
    application('bridge', `user/${login}@${domain.name}`),
  ]
  const mailbox = [
    application('answer'),
    application('sleep', '1000'),
    application('voicemail', `default ${domain.name} ${login}`),
  ]
  return [...ring, ...(isMailbox ? mailbox : [])].map((action) => planned('account', action))
}

/** Makes an action of a plan, with its kind. */
export function planned(kind: string, action: EngineAction): PlannedAction {
  return { path: kind === 'call' ? 'call' : '', kind, ...action }
}

/** The end of a call that cannot be routed as its domain wants. */
export const failing = planned('route', application('hangup', 'NORMAL_TEMPORARY_FAILURE'))
