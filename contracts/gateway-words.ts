import type { GatewayStatus, RegistrationState } from '../core/gateways/gateway-state.ts'
import type { GatewayProfile, GatewaySrtp, GatewayTransport } from '../core/gateways/gateway.ts'

/** The protocols in which a gateway is reached. */
export const transports = ['udp', 'tcp', 'tls'] as const satisfies readonly GatewayTransport[]

/** Whether the media of a gateway's calls is encrypted. */
export const srtpModes = ['off', 'optional', 'required'] as const satisfies readonly GatewaySrtp[]

/** The codecs that a gateway may be limited to: those that engines of the kit load (engine/conf/modules.xml). */
export const gatewayCodecs = ['PCMU', 'PCMA'] as const

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
