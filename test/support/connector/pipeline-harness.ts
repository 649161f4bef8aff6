import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import type { EslDownReason } from '@callplane/esl'
import { type EventPipelineDeps, EventPipeline } from '../../../connector/assembly/event-pipeline.ts'
import { subscriptions } from '../../../connector/events/subscriptions.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { type EventGiven, aCoreUuid, anEngineEvent } from '../engine/engine-event.ts'
import { type FakeEslSession, fakeEslSession } from '../engine/fake-esl-session.ts'
import { ofCaller } from '../engine/leg-fields.ts'
import { type ManualTime, manualTime } from '../processes/manual-time.ts'
import { aDomain, aHook } from '../records/records.ts'

/** The one domain with hooks. */
export const harnessDomain = 'a.example.com'

/** The name of the engine where a test names none. */
export const harnessEngine = '192.0.2.1:8021'

const life = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

/** A call that an engine of the harness has: a row of its list. */
export interface ListedCall {
  readonly uuid: string
  readonly callstate?: string
  /** Seconds since the epoch; now where left out. */
  readonly createdAt?: number
}

/** The event side of one connector and the engine that it hears, both in the hands of a test. */
export interface Pipeline {
  readonly side: EventPipeline
  readonly commands: FakeEslSession
  readonly registry: EventPipelineDeps['registry']
  /** The channels that the engine has, where its list does not tell. */
  existing?: readonly Pick<ListedCall, 'uuid'>[]
  /** The engine's answer to `show channels as json`. */
  rows: readonly ListedCall[]
  /** Its answer to `show registrations as json`. */
  registrations: readonly { readonly user: string; readonly domain?: string; readonly expires: number }[]
  /** Makes the event link. */
  up(core?: string): Promise<void>
  /** Loses it. */
  down(reason?: EslDownReason): Promise<void>
  /** Events that this connector hears, while its link is up; what it does not hear is lost. */
  emit(...events: EventGiven[]): Promise<void>
}

/** A harness for one or more connectors: one time, one set of stores, one queue. */
export interface PipelineHarness {
  readonly time: ManualTime
  readonly ports: MemoryPorts
  readonly published: MemoryPorts['events']['published']
  /** A connector with an engine link that is down. */
  readonly connector: (id?: string, given?: Partial<EventPipelineDeps>) => Promise<Pipeline>
  /** The names of the events that were published for a call, in order; those that a connector made end with "made". */
  readonly eventsOf: (uuid: string) => string[]
}

/** Makes a harness whose domains have hooks on every event of a call's life and on account states. */
export async function pipelineHarness(
  time = manualTime(),
  domains: readonly string[] = [harnessDomain],
): Promise<PipelineHarness> {
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const wanted = [...life, 'CHANNEL_STATE', 'CHANNEL_HOLD', 'CUSTOM->svc::account_status']
  for (const domain of domains) {
    await ports.domains.create(aDomain({ name: domain }))
    await ports.hooks.create(
      wanted.map((event) => aHook({ event, domain })),
      100,
    )
  }
  const { published } = ports.events
  return {
    time,
    ports,
    published,
    connector: async (id = 'connector-1', given = {}) => {
      const pipeline = aHarness(time, ports, id, given)
      void pipeline.side.follow(() => {}, new AbortController().signal)
      await time.advance(0)
      return pipeline
    },
    eventsOf: (uuid) =>
      published
        .filter((event) => event.uuid === uuid)
        .map(({ name, fields }) => (fields['Synthetic'] === 'true' ? `${name} made` : name)),
  }
}

function aHarness(
  time: ManualTime,
  ports: MemoryPorts,
  connectorId: string,
  given: Partial<EventPipelineDeps>,
): Pipeline {
  const domains = domainNames(ports.domains, time.clock)
  const registry = new ChannelRegistry(domains)
  const commands = fakeEslSession()
  commands.up()
  let core = aCoreUuid
  let isUp = false
  const reasons: { events?: EslDownReason } = {}
  const engine = {
    name: harnessEngine,
    commands,
    reasons,
    get coreUuid() {
      return core
    },
  }
  const side = new EventPipeline({
    ...time,
    ports,
    registry,
    domains,
    wanted: subscriptions({ ...time, reader: ports.subscriptions, log: capturedLog() }),
    engines: [engine],
    connectorId,
    random: () => 0,
    log: capturedLog(),
    ...given,
  })
  const pipeline: Pipeline = {
    side,
    commands,
    registry,
    rows: [],
    registrations: [],
    up: async (newCore = core) => {
      core = newCore
      isUp = true
      side.engineChanged(engine, 'engine_connected')
      await time.advance(0)
    },
    down: async (reason = 'closed') => {
      isUp = false
      reasons.events = reason
      registry.markUnconfirmed(harnessEngine)
      side.engineChanged(engine, 'engine_disconnected')
      await time.advance(0)
    },
    emit: async (...events) => {
      for (const event of events) if (isUp) side.accept(anEngineEvent({ coreUuid: core, ...event }), harnessEngine)
      await time.advance(0)
    },
  }
  commands.answer = (command) => {
    const seconds = Math.floor(time.clock.now() / 1_000)
    if (command === 'show channels as json') return listOf(pipeline.rows.map((row) => rowOf(row, seconds)))
    const asked = /^uuid_exists (\S+)$/.exec(command)?.[1]
    if (asked !== undefined) return `${(pipeline.existing ?? pipeline.rows).some(({ uuid }) => uuid === asked)}`
    if (command !== 'show registrations as json') return '-ERR command not found\n'
    return listOf(
      pipeline.registrations.map(({ user, domain = harnessDomain, expires }) => ({
        reg_user: user,
        realm: domain,
        url: `sofia/internal/sip:${user}@192.0.2.9:5060`,
        expires: `${expires}`,
      })),
    )
  }
  return pipeline
}

function listOf(rows: readonly object[]): string {
  return JSON.stringify(rows.length === 0 ? { row_count: 0 } : { row_count: rows.length, rows })
}

function rowOf({ uuid, callstate = 'ACTIVE', createdAt }: ListedCall, seconds: number) {
  return {
    uuid,
    callstate,
    direction: 'inbound',
    created_epoch: `${createdAt ?? seconds}`,
    cid_name: 'Alice',
    cid_num: '1000',
    dest: '9196',
    context: harnessDomain,
    presence_id: `1000@${harnessDomain}`,
  }
}

/**
 * The headers of a call that user 1000 of the harness's domain placed, or the user of `Channel-Presence-ID`, or no user
 * where that is empty; created at an epoch millisecond of the engine's clock.
 */
export function ofCall(createdAt: number, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const account = more['Channel-Presence-ID'] ?? `1000@${more['Caller-Context'] ?? harnessDomain}`
  return {
    'Caller-Context': harnessDomain,
    'Call-Direction': 'inbound',
    ...(account === '' ? {} : ofCaller(account)),
    'Caller-Caller-ID-Number': '1000',
    'Caller-Destination-Number': '9196',
    'Caller-Channel-Created-Time': `${createdAt}000`,
    'Event-Date-Timestamp': `${createdAt}000`,
    ...more,
  }
}
