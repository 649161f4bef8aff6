import { addressGuard } from '../../adapters/http/address-guard.ts'
import { writtenPattern } from '../../adapters/regex/written-patterns.ts'
import type { HookJudges } from '../../core/hooks/definition/hook-rules.ts'
import type { Settings } from '../endpoint/cloud.ts'

/** Returns the judges of hooks for one request in this deployment. */
export function hookJudges({ hookAllowedNetworks }: Pick<Settings, 'hookAllowedNetworks'>): HookJudges {
  return { guard: addressGuard(hookAllowedNetworks), compile: writtenPattern() }
}
