/** A path of commands that keeps what it takes to tell of every invariant. */
import { type CallerAnswer, type CommandKind, aChannelFor, commandKinds } from '../platform/api-commands.ts'
import { type BystanderCalls, bystanderCalls } from '../engine/bystander-calls.ts'
import { type CommandPath, aCommandPath } from './command-path.ts'
import { ownedBy } from '../stores/memory-dump.ts'

/** The tenant that gives commands, and one that no fault of a test concerns. */
export const [domain, other] = ['a.example.com', 'b.example.com'] as const

/** The answer to a caller, and the commands that the request became. */
export interface Answered {
  readonly answer: CallerAnswer
  readonly ids: readonly string[]
}

/** A path with a call of each tenant that goes on while the commands of a test go wrong. */
export interface WatchedPath extends CommandPath {
  readonly bystanders: BystanderCalls
  /** Everything that was answered by {@link WatchedPath.ask}. */
  readonly answered: readonly Answered[]
  /** Gives a command as somebody of a tenant; for a channel of it that is made where none is named. */
  ask(kind: CommandKind['kind'], channel?: string, asDomain?: string): Promise<CallerAnswer>
  /** The owner of each known channel. */
  readonly owners: ReadonlyMap<string, string>
  /** Makes the engine and the queue do again what they did before the test replaced anything. */
  heal(): void
  /** The other tenant's things at the beginning. */
  readonly othersBefore: ReturnType<WatchedPath['others']>
  /** The other tenant's things that it did not ask for: in the stores, at the engine, and in the log. */
  others(): Readonly<Record<'stored' | 'channels' | 'logged', readonly unknown[]>>
}

/** Traces that a tenant's own requests leave. */
const ownTraces = /^(?:presence|tokens|sessions|networks|commands|knownCalls|buckets|uses|audit) /

/**
 * A path of two tenants without a connector. The calls of both begin with the first connector, and are answered at the
 * moment at which the engine is given its first job.
 */
export async function aWatchedPath(): Promise<WatchedPath> {
  const path = await aCommandPath()
  const { engine, api, time } = path
  const bystanders = await bystanderCalls({
    engine,
    ports: api.ports,
    clock: time.clock,
    domains: [domain, other],
  })
  engine.onGiven = () => bystanders.answer()
  const usual = { onJob: engine.onJob, answer: engine.answer, onAsked: engine.onAsked }
  const answered: Answered[] = []
  const owners = new Map([...bystanders.uuids].map(([tenant, uuid]) => [uuid, tenant]))
  let begun = false

  const others: WatchedPath['others'] = () => {
    const asked = path.records().filter(({ scope }) => scope.domain === other)
    const wasAsked = (id: unknown) =>
      asked.some((record) => record.id === id || ('uuid' in record.command && record.command.uuid === id))
    return {
      stored: ownedBy(api, other).filter((line) => !ownTraces.test(line)),
      channels: [...engine.channels].filter(([uuid, each]) => each.domain === other && !wasAsked(uuid)),
      logged: path.log.lines.filter((line) => {
        return JSON.stringify(line).includes(other) && !wasAsked(line.keys['commandId'])
      }),
    }
  }

  return {
    ...path,
    bystanders,
    answered,
    owners,
    heal: () => {
      Object.assign(engine, usual)
      path.queue.deliveries = 1
      path.queue.tell = () => {}
    },
    othersBefore: others(),
    others,
    connect: async (...given) => {
      const made = await path.connect(...given)
      if (begun) return made
      begun = true
      // It listens to what the platform itself needs, at once, and those are such events.
      if (!bystanders.begin()) throw new Error('no connector heard that calls began')
      await path.until(() => bystanders.events().every(({ publishedAs }) => publishedAs.length > 0))
      // The events lost with a connector that had not reported its link yet are in no gap.
      await path.until(
        () => api.ports.state.connectors.get(made.id)?.engines.some(({ connected }) => connected) ?? false,
      )
      await time.advance(1_000)
      return made
    },
    ask: async (kind, channel = aChannelFor(path, kind), asDomain = domain) => {
      const found = commandKinds.find((each) => each.kind === kind)
      if (found === undefined) throw new Error(`there is no ${kind}`)
      owners.set(channel, asDomain)
      const { result, ids } = await path.idsOf(() => found.send(path, channel, asDomain))
      answered.push({ answer: result, ids })
      return result
    },
  }
}
