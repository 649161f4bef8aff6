import type { CdrUpdate, EventUpdate, PostUpdate, RecordingUpdate } from '../../../core/cdr/cdr-update.ts'
import { ofCaller } from '../engine/leg-fields.ts'

const domain = 'a.example.com'
const uuid = 'c0ffee00-0000-4000-8000-000000000001'
/** 2026-01-15 12:00:00 UTC. */
const at = 1_768_478_400_000

/** The fields of a leg's end that a test needs. */
const endFields = (leg: string): Record<string, string> => ({
  'Event-Name': 'CHANNEL_HANGUP_COMPLETE',
  'Unique-ID': leg,
  ...ofCaller(`1000@${domain}`),
  'Caller-Caller-ID-Number': '1000',
  'Caller-Destination-Number': '9196',
  'Caller-Context': domain,
  'Caller-Channel-Created-Time': `${at - 60_000}000`,
  variable_duration: '60',
  variable_billsec: '58',
  variable_hangup_cause: 'NORMAL_CLEARING',
})

/** The end of a leg, as in its event. */
export function anEndUpdate(given: Partial<EventUpdate> = {}): EventUpdate {
  const leg = given.uuid ?? uuid
  const fields = { ...endFields(leg), ...given.fields }
  return {
    kind: 'event',
    id: `cdr:core:${leg}:CHANNEL_HANGUP_COMPLETE`,
    uuid: leg,
    domain,
    occurredAt: at,
    ...given,
    fields,
  }
}

/** The end of a leg, as in the engine's CDR post. */
export function aPostUpdate(given: Partial<PostUpdate> = {}): PostUpdate {
  const leg = given.uuid ?? uuid
  const fields = { ...endFields(leg), ...given.fields }
  return { kind: 'post', id: `post:${leg}`, uuid: leg, occurredAt: at, ...given, fields }
}

/** A change of a leg's recordings. */
export function aRecordingUpdate(given: Partial<RecordingUpdate> = {}): RecordingUpdate {
  const leg = given.uuid ?? uuid
  return { kind: 'recording', id: `recording:${leg}`, uuid: leg, domain, leg: 'a', createdTime: at - 60_000, ...given }
}

/** An update of any kind without the version that a message has. */
export function asUpdate({ version: _version, ...update }: CdrUpdate & { readonly version?: number }): CdrUpdate {
  return update
}
