import type { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import type { DomainNames } from '../../../connector/calls/domain-names.ts'
import { type EngineReading, engineReading } from '../../../connector/calls/engine-reading.ts'
import { type HeldCalls, heldCalls } from '../../../connector/calls/held-calls.ts'
import type { CommandEngine } from '../../../connector/commands/command-dispatch.ts'
import { pendingJobs } from '../../../connector/commands/pending-jobs.ts'
import { type FakeEslSession, fakeEslSession } from './fake-esl-session.ts'
import type { ManualTime } from '../processes/manual-time.ts'

/** An engine in the form that commands and lists use it in, whose links a test plays. */
export interface PlayedEngine extends CommandEngine {
  readonly engine: { readonly name: string; readonly commands: FakeEslSession; readonly events: FakeEslSession }
  readonly reading: EngineReading
  readonly held: HeldCalls
  /** Both links come up. */
  up(): void
  /** Both links are lost. */
  down(): void
}

/** An engine that is down until `up`, with its jobs and its reading. */
export function playedEngine(
  name: string,
  { time, registry, domains }: { time: ManualTime; registry: ChannelRegistry; domains: DomainNames },
): PlayedEngine {
  const jobs = pendingJobs(time.timers)
  const held = heldCalls(registry, name, time.clock)
  const commands = fakeEslSession({
    onEvent: (event) => jobs.accept(event),
    onState: ({ kind }) => {
      if (kind !== 'down') return
      jobs.loseAll()
      held.commandsLost()
    },
  })
  const events = fakeEslSession({
    onState: ({ kind }) => {
      if (kind === 'ready') held.heard()
      if (kind !== 'down') return
      held.eventsLost()
      registry.markUnconfirmed(name)
    },
  })
  return {
    engine: { name, commands, events },
    jobs,
    reading: engineReading({
      ...time,
      engine: name,
      link: commands,
      registry,
      domains,
      onRead: (channels) => held.wasRead(channels),
    }),
    held,
    up: () => {
      commands.up()
      events.up()
    },
    down: () => {
      events.down()
      commands.down()
    },
  }
}
