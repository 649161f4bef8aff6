import { callIdOf } from '../../core/channels/call-id.ts'
import { DomainError } from '../../core/errors.ts'
import { type Engine, type EngineLink, isReady } from '../runtime/engine.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { ChannelRegistry } from './channel-registry.ts'
import { reader } from './engine-channels.ts'
import type { EngineReading, ListedChannel } from './engine-reading.ts'
import { findChannel } from './find-channel.ts'

/** An engine that answers at all does so in this time. */
const answerMs = 2_000

const everywhere = { domain: null, presenceId: null }

export interface CallCheckDeps extends Time {
  readonly registry: ChannelRegistry
  readonly engines: readonly {
    readonly engine: Pick<Engine, 'name' | 'coreUuid'> & { readonly commands: Pick<EngineLink, 'api' | 'state'> }
    readonly reading: Pick<EngineReading, 'recent'>
  }[]
}

/**
 * Answers whether a call that is older than this process is still up; `undefined` when an engine that may have it
 * cannot be asked, or does not answer within two seconds, and for the two seconds after that. All that are asked for
 * within a second share one reading of each engine, whatever changes meanwhile; only a call that is not listed is asked
 * for by itself. Rejects when the store of domains is gone.
 */
export function callCheck(parts: CallCheckDeps): (uuid: string) => Promise<boolean | undefined> {
  const { registry, engines, clock, timers } = parts
  let silentUntil = 0
  const indexes = new WeakMap<readonly ListedChannel[], ReadonlyMap<string, ListedChannel>>()

  const byUuid = (channels: readonly ListedChannel[]): ReadonlyMap<string, ListedChannel> => {
    const index =
      indexes.get(channels) ?? new Map(channels.map((channel) => [callIdOf(channel.row['uuid'] ?? ''), channel]))
    indexes.set(channels, index)
    return index
  }

  const isListed = async (uuid: string): Promise<boolean> => {
    const readings = engines.map(async ({ engine, reading }) => {
      const listed = byUuid(await reading.recent()).get(uuid)
      if (listed === undefined) return false
      const read = reader(listed.row)
      await registry.learn(uuid, (name) => (name === 'Core-UUID' ? engine.coreUuid : read(name)), engine.name)
      return true
    })
    return (await Promise.all(readings)).includes(true)
  }

  const ask = async (uuid: string): Promise<boolean> =>
    (await isListed(uuid)) || (await findChannel(parts, uuid, everywhere, 'when unproven')) !== undefined

  return async (uuid) => {
    const known = registry.find(uuid)
    if (known?.proven === true) return true
    if (known === undefined && registry.hasEnded(uuid)) return false
    if (clock.now() < silentUntil || !engines.every(({ engine }) => isReady(engine.commands))) return undefined
    const over = new AbortController()
    const silence = pause(timers, answerMs, over.signal).then(() => 'silence' as const)
    try {
      const answer = await Promise.race([ask(uuid), silence])
      if (answer !== 'silence') return answer
      silentUntil = clock.now() + answerMs
      return undefined
    } catch (problem) {
      if (problem instanceof DomainError) throw problem
      return undefined
    } finally {
      over.abort()
    }
  }
}
