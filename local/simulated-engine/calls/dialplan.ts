import type { Engine, Extension } from './engine.ts'

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
])

/**
 * Returns the handling of a call to an extension: one of the fixed ones, or a user of the domain by login or number; nothing
 * without a route. Contexts are per domain: one that the directory never answered for has no extensions.
 */
export async function route(
  engine: Engine,
  target: Extension,
  uuid: string,
): Promise<readonly Application[] | undefined> {
  if (!engine.phones.knows(target.context)) return undefined
  if (target.extension === '5000') return recordTone(`${engine.recordingsDir}/${uuid}.wav`, uuid)
  const fixed = extensions.get(target.extension)
  if (fixed !== undefined) return fixed
  const question = { user: target.extension, domain: target.context, action: 'user_call' } as const
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
