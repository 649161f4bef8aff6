import type { EngineShare } from '../../contracts/settings/connector.ts'
import { type EngineAddress, engineName } from '../runtime/engine.ts'

/**
 * Returns whether a connector relays the events of the engine named: of all, or of every nth one of the list from the place of its part. An engine that is
 * added at the end of the list leaves the others where they are.
 */
export function relayedEngines(
  engines: readonly EngineAddress[],
  { part, of }: EngineShare = { part: 1, of: 1 },
): (engine: string) => boolean {
  const names = new Set(engines.filter((_, place) => place % of === part - 1).map(engineName))
  return (engine) => names.has(engine)
}
