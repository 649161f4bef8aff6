import { addressGuard } from '../../adapters/http/address-guard.ts'
import { networkProblem } from '../../adapters/http/networks.ts'
import { gatewayCodecs } from '../../contracts/gateway-words.ts'
import type { GatewayJudges } from '../../core/gateways/gateway-input.ts'
import type { Settings } from '../endpoint/cloud.ts'

/** Returns the rules that gateways are checked against; those about addresses are those of hooks. */
export function gatewayJudges({ hookAllowedNetworks }: Pick<Settings, 'hookAllowedNetworks'>): GatewayJudges {
  return { guard: addressGuard(hookAllowedNetworks), networkProblem, codecs: gatewayCodecs }
}
