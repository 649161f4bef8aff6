import type { GatewayStatus, RegistrationState } from '../core/gateways/gateway-state.ts'
import type { GatewayCodec, GatewayProfile, GatewayTransport } from '../core/gateways/gateway.ts'

/** The protocols in which a gateway is reached. */
export const transports = ['udp', 'tcp', 'tls'] as const satisfies readonly GatewayTransport[]

/** The codecs that a gateway may be limited to. */
export const gatewayCodecs = ['PCMU', 'PCMA', 'G722', 'opus', 'G729'] as const satisfies readonly GatewayCodec[]

/** The engine's SIP profiles that have gateways. */
export const gatewayProfiles = ['external'] as const satisfies readonly GatewayProfile[]

/** The engine's words for the registration of a gateway. */
export const registrationStates = [
  'REGED',
  'NOREG',
  'REGISTER',
  'TRYING',
  'UNREGED',
  'UNREGISTER',
  'EXPIRED',
  'DOWN',
  'TIMEOUT',
  'FAILED',
  'FAIL_WAIT',
] as const satisfies readonly RegistrationState[]

/** The engine's words for whether calls may go to a gateway. */
export const gatewayStatuses = ['UP', 'DOWN'] as const satisfies readonly GatewayStatus[]
