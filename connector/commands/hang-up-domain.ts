import type { CommandOutcome, CommandScope } from '../../core/commands.ts'
import type { ChannelList } from '../calls/channel-list.ts'
import type { EngineLink } from '../engine.ts'
import { ValueRefused, commandLine } from './command-line.ts'

/** The cause that the contract names for calls that end with their domain. */
const cause = 'MANAGER_REQUEST'

/**
 * Hangs up every channel of a domain, by the engine's list of this moment and the one rule of whose a leg is. A channel
 * that has ended meanwhile is no failure, and one whose id cannot stand in a command line keeps no other up: it is
 * told by `-ERR`. A scope without a domain is refused, since it would be every call of the platform.
 */
export async function hangUpDomain(
  { channels, link }: { readonly channels: ChannelList; readonly link: Pick<EngineLink, 'api'> },
  scope: CommandScope,
): Promise<CommandOutcome> {
  const { domain } = scope
  if (domain === null) return { state: 'refused', text: '-ERR the calls of one domain only can be ended\n' }
  const uuids = await channels.uuids(scope)
  const lines = uuids.flatMap((uuid) => lineFor(uuid, domain) ?? [])
  for (const line of lines) await link.api(line)
  if (lines.length < uuids.length) return { state: 'refused', text: `-ERR ${uuids.length - lines.length} left\n` }
  return { state: 'done', text: `+OK ${lines.length}\n` }
}

function lineFor(uuid: string, domain: string): string | undefined {
  try {
    return commandLine({ kind: 'hangup', uuid, cause }, domain)
  } catch (problem) {
    if (problem instanceof ValueRefused) return undefined
    throw problem
  }
}
