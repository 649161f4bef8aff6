import { messageOf, textEvent } from '../../adapters/events/text-event.ts'
import { memoryPorts } from '../../test/support/memory/memory-ports.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { ChannelRegistry } from '../../connector/calls/channel-registry.ts'
import { EventPipeline } from '../../connector/assembly/event-pipeline.ts'
import { subscriptions } from '../../connector/events/subscriptions.ts'
import { systemEslTimers } from '@callplane/esl'
import type { CdrQueue } from '../../core/cdr/cdr-update.ts'
import { silentLog } from '../silent-log.ts'

/** The domains of the calls, one for each repetition of the recording. */
export const domains = Array.from({ length: 10 }, (_, index) => `tenant${index}.example.com`)

/** Every kind of event that the recording has of calls. */
const names = [
  'API',
  'BACKGROUND_JOB',
  'CALL_UPDATE',
  'CHANNEL_ANSWER',
  'CHANNEL_BRIDGE',
  'CHANNEL_CALLSTATE',
  'CHANNEL_CREATE',
  'CHANNEL_DESTROY',
  'CHANNEL_EXECUTE',
  'CHANNEL_EXECUTE_COMPLETE',
  'CHANNEL_HANGUP',
  'CHANNEL_HANGUP_COMPLETE',
  'CHANNEL_ORIGINATE',
  'CHANNEL_OUTGOING',
  'CHANNEL_PROGRESS',
  'CHANNEL_PROGRESS_MEDIA',
  'CHANNEL_STATE',
  'CHANNEL_UNBRIDGE',
  'CODEC',
  'PLAYBACK_START',
  'PLAYBACK_STOP',
]

/**
 * Subscriptions of hooks by the share of wanted events: none; one rare kind in one domain, which together with the
 * base events of a domain with hooks is one event in a hundred; every kind in every domain.
 */
const hooks: Readonly<Record<string, readonly { domain: string; event: string }[]>> = {
  none: [],
  one: [{ domain: 'tenant0.example.com', event: 'CALL_UPDATE' }],
  all: domains.flatMap((domain) => names.map((event) => ({ domain, event }))),
}

/** The connector's way of an event, from its link to messages as the queue takes them, which are counted. */
export interface WholePath {
  readonly side: EventPipeline
  /** The words that the link subscribes with. */
  readonly words: readonly string[]
  readonly queued: { messages: number; bytes: number }
  /** Lets go of what would keep the process alive. */
  close(): Promise<void>
}

/**
 * Makes the path where hooks want `none`, `one` (in a hundred) or `all` of the recorded events. The ends of legs go to
 * `cdrQueue`, or are counted as messages.
 */
export async function wholePath(wanted: string, cdrQueue?: CdrQueue): Promise<WholePath> {
  const queued = { messages: 0, bytes: 0 }
  const ports = memoryPorts({ clock: systemClock, random: systemRandomness })
  const known = { exists: (name: string) => domains.includes(name) }
  const countingQueue: CdrQueue = {
    send: async (updates) => {
      for (const one of updates) {
        if (one.kind === 'recording') continue
        const { kind, id, uuid, occurredAt } = one
        queued.bytes += messageOf({ version: 1, kind, id, uuid, occurredAt }, one).length
      }
      queued.messages += updates.length
      return []
    },
  }
  const wanting = subscriptions({
    clock: systemClock,
    timers: systemEslTimers,
    reader: { version: async () => 1, list: async () => [...(hooks[wanted] ?? [])] },
    log: silentLog,
  })
  const side = new EventPipeline({
    ports: {
      ...ports,
      cdrQueue: cdrQueue ?? countingQueue,
      events: {
        publish: async (events) => {
          for (const event of events) {
            const { id, name, domain, uuid, occurredAt } = event
            const members = { version: 1, id, name, domain, uuid, occurredAt }
            queued.bytes += messageOf(members, textEvent(event)).length
          }
          queued.messages += events.length
          return []
        },
      },
    },
    clock: systemClock,
    timers: systemEslTimers,
    registry: new ChannelRegistry(known),
    domains: known,
    engines: [],
    wanted: wanting,
    connectorId: 'bench',
    random: Math.random,
    log: silentLog,
  })
  const isKnown = Promise.withResolvers<void>()
  const over = new AbortController()
  const following = side.follow(isKnown.resolve, over.signal)
  await isKnown.promise
  const close = async () => {
    over.abort()
    await side.close()
    await following
  }
  return { side, words: wanting.engineWords(), queued, close }
}
