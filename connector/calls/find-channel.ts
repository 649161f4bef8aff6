import { isSameAccount } from '../../core/channels/leg.ts'
import type { CommandScope } from '../../core/commands/commands.ts'
import { type Engine, type EngineLink, isReady } from '../runtime/engine.ts'
import { EslCommandNotSent } from '@callplane/esl'
import type { Channel, ChannelRegistry } from './channel-registry.ts'
import { dumpChannel, reader } from './engine-channels.ts'

/** An engine that can be asked for a channel. */
export interface AskedEngine {
  readonly engine: Pick<Engine, 'name'> & { readonly commands: Pick<EngineLink, 'api' | 'state'> }
}

/** Where channels are looked for. */
export interface ChannelSources<Asked extends AskedEngine = AskedEngine> {
  readonly registry: ChannelRegistry
  readonly engines: readonly Asked[]
  /** Reads the channel that an engine made for a chosen uuid, by any connector's order; `undefined` if unknown. */
  readonly readAlias?: ((chosen: string) => Promise<string | undefined>) | undefined
}

/** A channel that is up, and the engine that has it. */
export interface FoundChannel<Asked extends AskedEngine = AskedEngine> {
  readonly channel: Channel
  readonly at: Asked
}

/**
 * Returns the channel of a uuid, or of the uuid once chosen for it, if it is up and in the scope; `undefined`
 * otherwise, and the two cases cannot be distinguished. The engine that has the channel is asked if the registry does
 * not know it as proven, and always with `ask: 'always'`, since events come a moment late and an engine accepts orders
 * to a channel that has ended. A channel that no engine has reported is looked up at every engine at once; if another
 * connector placed it under a chosen uuid, under the uuid that its engine gave it. Rejects as the links do: with
 * `EslCommandNotSent` also if an engine is away that has the channel or may have it. Rejects with a `DomainError` if
 * the store of domains or that of aliases is away.
 */
export async function findChannel<Asked extends AskedEngine>(
  { registry, engines, readAlias }: ChannelSources<Asked>,
  uuid: string,
  scope: CommandScope,
  ask: 'when unproven' | 'always',
): Promise<FoundChannel<Asked> | undefined> {
  const known = registry.find(uuid)
  const actual = known === undefined ? await readAlias?.(uuid) : undefined
  if (actual !== undefined) {
    registry.alias(uuid, actual)
    return findChannel({ registry, engines }, actual, scope, ask)
  }
  if (known === undefined && registry.hasEnded(uuid)) return undefined
  if (known !== undefined && isElsewhere(known, scope)) return undefined
  const home = engines.find(({ engine }) => engine.name === known?.engine)
  const isOwnerKnown = scope.presenceId === null || known?.isAccountKnown === true
  const isTrusted = ask === 'when unproven' && known?.proven === true && isOwnerKnown
  if (known !== undefined && home !== undefined && isTrusted) return reached({ channel: known, at: home }, scope)
  const found = await askFor(registry, home === undefined ? engines : [home], known?.uuid ?? uuid)
  return found === undefined ? undefined : reached(found, scope)
}

/**
 * Returns whether a scope reaches a channel: domains and accounts are compared whole, never by a part. A channel whose
 * account is unknown has no owner.
 */
export function isInScope(channel: Pick<Channel, 'domain' | 'presenceId'>, scope: CommandScope): boolean {
  if (scope.domain !== null && channel.domain !== scope.domain) return false
  return scope.presenceId === null || isSameAccount(channel.presenceId, scope.presenceId)
}

/** A channel keeps its domain, so a caller of another domain is refused without asking the engine. */
function isElsewhere(channel: Channel, { domain }: CommandScope): boolean {
  return domain !== null && channel.domain !== '' && channel.domain !== domain
}

function reached<Asked extends AskedEngine>(
  found: FoundChannel<Asked>,
  scope: CommandScope,
): FoundChannel<Asked> | undefined {
  return isInScope(found.channel, scope) ? found : undefined
}

/** The first engine that has the channel is enough; that none has it is known only when every one has said so. */
async function askFor<Asked extends AskedEngine>(
  registry: ChannelRegistry,
  engines: readonly Asked[],
  uuid: string,
): Promise<FoundChannel<Asked> | undefined> {
  const answers = engines.map(async (at) => {
    const { commands, name } = at.engine
    if (!isReady(commands)) throw new EslCommandNotSent(`${name} may have the channel and is away`)
    const dump = await dumpChannel(commands, registry.spellingOf(uuid))
    if (dump === undefined) throw new NotHere()
    return { channel: await registry.learn(uuid, reader(dump), name), at }
  })
  try {
    return await Promise.any(answers)
  } catch (problem) {
    const reasons: unknown[] = problem instanceof AggregateError ? problem.errors : [problem]
    const failure = reasons.find((reason) => !(reason instanceof NotHere))
    if (failure !== undefined) throw failure
    return undefined
  }
}

class NotHere extends Error {}
