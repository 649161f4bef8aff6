import type { GatewayCodec, GatewayProfile, GatewayTransport } from '../core/gateways/gateway.ts'

/** The protocols in which a gateway is reached. */
export const transports = ['udp', 'tcp', 'tls'] as const satisfies readonly GatewayTransport[]

/** The codecs that a gateway may be limited to. */
export const gatewayCodecs = ['PCMU', 'PCMA', 'G722', 'opus', 'G729'] as const satisfies readonly GatewayCodec[]

/** The engine's SIP profiles that have gateways. */
export const gatewayProfiles = ['external'] as const satisfies readonly GatewayProfile[]
