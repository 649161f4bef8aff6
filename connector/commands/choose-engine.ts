import type { ChannelRegistry } from '../calls/channel-registry.ts'
import { type Engine, isHealthy } from '../engine.ts'
import { type Timers, pause } from '../timers.ts'
import type { CommandEngine } from './command-dispatch.ts'
import { contactLine } from './command-line.ts'

/** How long engines are asked where a phone is registered; after that a call goes where there is most room. */
const askMs = 1_000

/** What choosing needs. */
export interface ChoiceParts {
  readonly engines: readonly CommandEngine[]
  readonly registry: Pick<ChannelRegistry, 'proven'>
  readonly timers: Timers
  /** The name of the engine where an account's phone is registered, when it is known; lower-cased names. */
  readonly engineOf?: ((domain: string, login: string) => string | undefined) | undefined
}

/**
 * The engine that rings an account's phone: of those with both links up the one where the phone is registered, as far
 * as that is known or the engines tell it in time; of several, the one with the fewest channels; of those the first.
 * Absent when no engine is up. Throws `ValueRefused` for a login or a domain that cannot be one.
 */
export async function chooseEngine(
  parts: ChoiceParts,
  phone: { readonly domain: string | null; readonly login: string },
): Promise<CommandEngine | undefined> {
  const healthy = parts.engines.filter(({ engine }) => isHealthy(engine))
  if (healthy.length <= 1) return healthy[0]
  const line = contactLine(phone.login, phone.domain)
  const known = parts.engineOf?.(phone.domain ?? '', phone.login.toLowerCase())
  const at = healthy.find(({ engine }) => engine.name === known)
  if (at !== undefined) return at
  const registered = await withContact(healthy, line, parts.timers)
  return leastBusy(registered.length > 0 ? registered : healthy, parts.registry)
}

/** The engines that say in time that they have a contact of the phone. */
async function withContact(
  engines: readonly CommandEngine[],
  line: string,
  timers: Timers,
): Promise<readonly CommandEngine[]> {
  const found = new Set<CommandEngine>()
  const over = new AbortController()
  const asked = engines.map(async (engine) => {
    if (await hasContact(engine.engine, line)) found.add(engine)
  })
  await Promise.race([Promise.all(asked), pause(timers, askMs, over.signal)])
  over.abort()
  return engines.filter((engine) => found.has(engine) && isHealthy(engine.engine))
}

/** The engine answers with dial strings such as `sofia/internal/sip:…`, or with `error/user_not_registered`. */
async function hasContact({ commands }: { readonly commands: Pick<Engine['commands'], 'api'> }, line: string) {
  try {
    return (await commands.api(line)).includes('sofia/')
  } catch {
    return false
  }
}

/** Calls that were placed a moment ago count as well: their channels are told of later. */
function leastBusy(
  engines: readonly CommandEngine[],
  registry: Pick<ChannelRegistry, 'proven'>,
): CommandEngine | undefined {
  const loadOf = ({ engine, jobs }: CommandEngine) => registry.proven(engine.name).length + jobs.size
  const counted = engines.map((engine) => ({ engine, load: loadOf(engine) }))
  return counted.sort((a, b) => a.load - b.load)[0]?.engine
}
