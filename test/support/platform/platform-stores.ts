import type { AdapterContext } from '../../../adapters/context.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { type TableName, tables } from '../../../contracts/resources.ts'
import { sharedEnvironment } from '../../../local/platform/local-environment.ts'
import { platformRole } from '../../../local/platform/platform-context.ts'
import type { Platform } from '../../../local/platform/start-platform.ts'
import { readSettings } from '../../../local/settings/settings.ts'
import { dump } from '../stores/dump.ts'

/**
 * Every item in the stores of a running platform, as text, but those of the tables named. A table that
 * is in the environment of no function and no container has no writer, and is left out.
 */
export function platformDump(platform: Platform, without: readonly TableName[] = []): Promise<readonly string[]> {
  const context = contextOf(platform)
  const unknown = (Object.keys(tables) as TableName[]).filter(
    (name) => context.env[tables[name].variable] === undefined,
  )
  return dump(context, [...without, ...unknown])
}

/** The context of adapters that read the stores without any function. */
export function contextOf({ assembly, gate, storesUrl }: Platform): AdapterContext {
  const known = [...assembly.functions, ...assembly.containers].map(({ environment }) => environment)
  const shared = sharedEnvironment(readSettings({}), storesUrl, gate.issue(platformRole.arn))
  return { env: Object.assign({}, ...known, shared), clock: systemClock, random: systemRandomness }
}
