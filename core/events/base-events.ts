import { type channelEvents, serviceEventKinds } from './catalogue.ts'

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
