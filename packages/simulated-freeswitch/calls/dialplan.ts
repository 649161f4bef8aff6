import { askDialplan } from '../lookups/ask-dialplan.ts'
import { toByteText } from '../runtime/byte-text.ts'
import { profileHeaders } from './caller-profile.ts'
import type { Channel } from './channel.ts'
import type { Engine, Extension } from './engine.ts'
import { publicContext } from './gateway-call.ts'

/** One step of an extension. */
export interface Application {
  readonly name: string
  readonly data: string
}

/** A tone of 440 Hz for two seconds, as the engine's tone generator takes it. */
const tone = 'tone_stream://%(2000,0,440)'

const extensions = new Map<string, readonly Application[]>([
  ['9196', [step('answer'), step('echo')]],
  ['9197', [step('answer'), step('playback', 'tone_stream://%(1000,0,440);loops=-1')]],
  ['9198', [step('answer'), step('sleep', '1000'), step('hangup')]],
  ['9199', [step('answer'), step('hangup')]],
  ['5100', [step('hangup', 'USER_BUSY')]],
  ['5101', [step('hangup', 'CALL_REJECTED')]],
  ['5102', [step('ring_ready'), step('sleep', '')]],
  ['5103', [step('hangup', 'UNALLOCATED_NUMBER')]],
  ['5110', [step('ring_ready'), step('sleep', '5000'), step('answer'), step('echo')]],
  ['5111', [step('hangup', 'USER_NOT_REGISTERED')]],
])

/** Is answered, and records for two seconds. */
const recordedNumber = '5000'

/** Every number of the engine's own dial plan. */
export const ownNumbers: readonly string[] = [...extensions.keys(), recordedNumber]

/**
 * Returns the handling of a call to an extension: the route that the dialplan lookup gives it, else one of the engine's
 * own dial plan; nothing without a route. Contexts are per domain: one that the directory never
 * answered for has no extensions.
 */
export async function route(
  engine: Engine,
  channel: Channel,
  target: Extension,
): Promise<readonly Application[] | undefined> {
  const isPublic = target.context === publicContext
  if (!isPublic && !engine.phones.knows(target.context)) return undefined
  const routed = await routeOfLookup(engine, channel, target)
  if (routed.length > 0) return routed
  return isPublic ? [step('hangup', 'NORMAL_TEMPORARY_FAILURE')] : ownRoute(engine, channel, target)
}

/** To the engine, a lookup that fails and one that gives the call no route are the same. */
async function routeOfLookup(engine: Engine, channel: Channel, target: Extension): Promise<readonly Application[]> {
  if (engine.dialplan === undefined) return []
  const profile = { ...channel.profile, context: target.context, destinationNumber: target.extension }
  const headers = [
    ...channel.headers(),
    ...channel.variableHeaders(),
    ...profileHeaders('Hunt', profile, channel.times),
  ]
  return askDialplan(engine.dialplan, headers).catch(() => [])
}

async function ownRoute(
  engine: Engine,
  { uuid }: Channel,
  target: Extension,
): Promise<readonly Application[] | undefined> {
  // Parameters of a SIP address follow its number, such as `phone-context=+49`.
  const [number = ''] = target.extension.split(';', 1)
  if (number === recordedNumber) {
    return recordTone(`${toByteText(engine.recordingsDir)}/${target.context}/${uuid}.wav`, uuid)
  }
  if (engine.emergencyNumbers.has(number)) return undefined
  const fixed = extensions.get(number)
  if (fixed !== undefined) return fixed
  const question = { user: number, domain: target.context, action: 'user_call' } as const
  const user = await engine.directory.find(question)
  if (user === undefined) return undefined
  const bridge = step('bridge', `user/${user.login}@${user.domain}`)
  return [step('set', 'call_timeout=20'), step('set', 'hangup_after_bridge=true'), bridge]
}

function recordTone(path: string, uuid: string): readonly Application[] {
  return [
    step('answer'),
    step('set', `RECORD_TITLE=Recording ${uuid}`),
    step('set', 'record_sample_rate=8000'),
    step('record_session', path),
    step('playback', tone),
    step('stop_record_session', path),
    step('hangup'),
  ]
}

function step(name: string, data = ''): Application {
  return { name, data }
}
