/** The events of a call that hooks can name; each is the engine's `Event-Name`. */
export const channelEvents = [
  'CHANNEL_CREATE',
  'CHANNEL_STATE',
  'CHANNEL_CALLSTATE',
  'CHANNEL_ANSWER',
  'CHANNEL_PROGRESS',
  'CHANNEL_PROGRESS_MEDIA',
  'CHANNEL_BRIDGE',
  'CHANNEL_UNBRIDGE',
  'CHANNEL_HOLD',
  'CHANNEL_UNHOLD',
  'CHANNEL_PARK',
  'CHANNEL_UNPARK',
  'CHANNEL_HANGUP',
  'CHANNEL_HANGUP_COMPLETE',
  'CHANNEL_DESTROY',
  'DTMF',
  'RECORD_START',
  'RECORD_STOP',
  'PLAYBACK_START',
  'PLAYBACK_STOP',
] as const

/** The events that the platform itself emits, as `CUSTOM->svc::<kind>`. */
export const serviceEventKinds = [
  'domain_create',
  'domain_destroy',
  'user_create',
  'user_destroy',
  'account_status',
  'hook_disabled',
  'eavesdrop_start',
  'recording_stored',
  'recording_failed',
  'voicemail_mail_failed',
  'engine_disconnected',
  'engine_connected',
] as const

/** One of {@link serviceEventKinds}. */
export type ServiceEventKind = (typeof serviceEventKinds)[number]

const plainNames: ReadonlySet<string> = new Set(channelEvents)
const customName = /^CUSTOM->[A-Za-z0-9_.-]+::[A-Za-z0-9_.-]+$/

/**
 * All wanted events are requested from the engine in one line. A line that contains this word and, from any other hook,
 * `reload` or `unload` makes the engine drop every client instead.
 */
const dangerousWord = /mod_event_socket/i

/**
 * Returns whether a hook may name this event: one of {@link channelEvents}, or `CUSTOM->` and any well-formed subclass
 * (`svc::user_create`, `engine::dialer_member_end`), in exactly this case. No combination of accepted names can break
 * the subscription at the engine.
 */
export function isEventName(name: string): boolean {
  return plainNames.has(name) || (customName.test(name) && !dangerousWord.test(name))
}

/** Returns the names of the known events. Hooks may name other subclasses as well. */
export function eventNames(): readonly string[] {
  return [...channelEvents, ...serviceEventKinds.map((kind) => `CUSTOM->svc::${kind}`), ...engineEvents]
}

/** Events of engines beside those of channels. */
const engineEvents = ['CUSTOM->sofia::gateway_state', 'CUSTOM->engine::dialer_member_end']

const ofCalls: readonly (typeof channelEvents)[number][] = [
  'CHANNEL_CREATE',
  'CHANNEL_ANSWER',
  'CHANNEL_BRIDGE',
  'CHANNEL_HOLD',
  'CHANNEL_UNHOLD',
  'CHANNEL_HANGUP_COMPLETE',
  'RECORD_STOP',
]

/**
 * The events that every domain with a hook, enabled or not, receives and has in its log, in addition to the events that
 * its hooks name: the contract's set of call events, and the platform's own. The platform subscribes to all of these
 * anyway.
 */
export const baseEvents: ReadonlySet<string> = new Set([
  ...ofCalls,
  ...serviceEventKinds.map((kind) => `CUSTOM->svc::${kind}`),
])
