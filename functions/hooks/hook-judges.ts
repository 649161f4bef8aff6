import { addressGuard } from '../../adapters/http/address-guard.ts'
import { linearPattern } from '../../adapters/regex/linear-pattern.ts'
import type { HookJudges } from '../../core/hooks/definition/hook-rules.ts'
import type { Settings } from '../endpoint/settings.ts'

/** The judges of hooks in this deployment. */
export function hookJudges({ hookAllowedNetworks }: Pick<Settings, 'hookAllowedNetworks'>): HookJudges {
  return { guard: addressGuard(hookAllowedNetworks), compile: linearPattern }
}
