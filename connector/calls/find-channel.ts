import type { CommandScope } from '../../core/commands.ts'
import type { EngineLink } from '../engine.ts'
import type { Channel, ChannelRegistry } from './channel-registry.ts'
import { dumpChannel, reader } from './engine-channels.ts'

/** Where channels are looked for. */
export interface ChannelSources {
  readonly registry: ChannelRegistry
  readonly link: Pick<EngineLink, 'api'>
  /** The name of the engine that the link leads to. */
  readonly engineName: string
}

/**
 * The channel that a uuid, or the uuid once chosen for it, stands for, when it is up and the scope reaches it; absent
 * otherwise, and nothing tells the two apart. The engine is asked when the registry does not know the channel as
 * proven, and always with `ask: 'always'`: events come a moment late, and the engine accepts orders to a channel that
 * has ended. Rejects as the link does, and with a `DomainError` when the store of domains is gone.
 */
export async function findChannel(
  sources: ChannelSources,
  uuid: string,
  scope: CommandScope,
  ask: 'when unproven' | 'always',
): Promise<Channel | undefined> {
  const known = sources.registry.find(uuid)
  const isTrusted = ask === 'when unproven' && known?.proven === true
  const channel = isTrusted ? known : await askEngine(sources, known?.uuid ?? uuid)
  return channel !== undefined && isInScope(channel, scope) ? channel : undefined
}

/** Whether a scope reaches a channel: domains and presence ids are compared whole, never by a part. */
export function isInScope(channel: Pick<Channel, 'domain' | 'presenceId'>, scope: CommandScope): boolean {
  if (scope.domain !== null && channel.domain !== scope.domain) return false
  return scope.presenceId === null || channel.presenceId === scope.presenceId.toLowerCase()
}

async function askEngine({ registry, link, engineName }: ChannelSources, uuid: string): Promise<Channel | undefined> {
  const dump = await dumpChannel(link, uuid)
  return dump === undefined ? undefined : registry.learn(uuid, reader(dump), engineName)
}
