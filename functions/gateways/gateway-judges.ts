import { addressGuard } from '../../adapters/http/address-guard.ts'
import { networkProblem } from '../../adapters/http/networks.ts'
import type { GatewayJudges } from '../../core/gateways/gateway-input.ts'
import type { Settings } from '../endpoint/settings.ts'

/** Returns the rules about addresses that apply to gateways: those of hooks. */
export function gatewayJudges({ hookAllowedNetworks }: Pick<Settings, 'hookAllowedNetworks'>): GatewayJudges {
  return { guard: addressGuard(hookAllowedNetworks), networkProblem }
}
