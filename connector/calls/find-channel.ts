import type { CommandScope } from '../../core/commands.ts'
import type { EngineLink } from '../engine.ts'
import type { Channel, ChannelRegistry } from './channel-registry.ts'
import { dumpChannel, reader } from './engine-channels.ts'

/**
 * The channel that a uuid, or the uuid once chosen for it, stands for, when it is up and the scope reaches it; absent
 * otherwise, and nothing tells the two apart. What the registry does not know as proven is asked of the engine.
 * Rejects as the link does, and with a `DomainError` when the store of domains is gone.
 */
export async function findChannel(
  registry: ChannelRegistry,
  link: Pick<EngineLink, 'api'>,
  uuid: string,
  scope: CommandScope,
): Promise<Channel | undefined> {
  const known = registry.find(uuid)
  const channel = known?.proven === true ? known : await askEngine(registry, link, known?.uuid ?? uuid)
  return channel !== undefined && isInScope(channel, scope) ? channel : undefined
}

/** Whether a scope reaches a channel: domains and presence ids are compared whole, never by a part. */
export function isInScope(channel: Pick<Channel, 'domain' | 'presenceId'>, scope: CommandScope): boolean {
  if (scope.domain !== null && (channel.domain === '' || channel.domain !== scope.domain)) return false
  return scope.presenceId === null || channel.presenceId === scope.presenceId.toLowerCase()
}

async function askEngine(
  registry: ChannelRegistry,
  link: Pick<EngineLink, 'api'>,
  uuid: string,
): Promise<Channel | undefined> {
  const dump = await dumpChannel(link, uuid)
  return dump === undefined ? undefined : registry.learn(uuid, reader(dump))
}
