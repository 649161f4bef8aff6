import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { Assembly, Environment, Gate, Place } from '@callplane/laptop'
import type { Settings } from '../settings/settings.ts'
import { sharedEnvironment } from './local-environment.ts'

/** The role of the platform itself: it acts for services whose own work no policy of the assembly covers. */
export const platformRole = {
  name: 'local-platform',
  arn: 'arn:aws:iam::000000000000:role/local-platform',
  statements: [
    {
      effect: 'Allow',
      actions: ['*'],
      exceptActions: false,
      resources: ['*'],
      exceptResources: false,
      conditions: {},
    },
  ],
} as const

/** The dependencies of {@link platformContext}. */
export interface PlatformContextDeps {
  readonly place: Place
  readonly gate: Gate
  readonly settings: Settings
}

/** Makes the context of adapters that work for the platform itself. */
export function platformContext(
  assembly: Pick<Assembly, 'functions'>,
  { place, gate, settings }: PlatformContextDeps,
): AdapterContext {
  const resources: Environment = Object.assign({}, ...assembly.functions.map(({ environment }) => environment))
  const env = { ...resources, ...sharedEnvironment(settings, place.storesUrl, gate.issue(platformRole.arn)) }
  return { env, clock: systemClock, random: systemRandomness }
}
