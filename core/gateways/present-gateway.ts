import type { ShownGatewayState } from './gateway-state.ts'
import type { Gateway } from './gateway.ts'

/** Stands for a password that is stored; a write with exactly this text keeps it. */
export const maskedPassword = '********'

/** Returns a gateway as callers see it. Every member is named here, so that no part of a password can be revealed. */
export function presentGateway(gateway: Gateway) {
  return {
    name: gateway.name,
    domain: gateway.domain,
    enabled: gateway.enabled,
    profile: gateway.profile,
    register: gateway.register,
    realm: gateway.realm,
    from_domain: gateway.fromDomain,
    proxy: gateway.proxy,
    ...(gateway.username !== undefined && { username: gateway.username }),
    ...(gateway.fromUser !== undefined && { from_user: gateway.fromUser }),
    ...(gateway.sealedPassword !== undefined && ({ password: maskedPassword } as const)),
    networks: [...gateway.networks],
    transport: gateway.transport,
    expires: gateway.expires,
    caller_id: gateway.callerId,
    ...(gateway.maxCalls !== undefined && { max_calls: gateway.maxCalls }),
    codecs: [...gateway.codecs],
  }
}

/** Returns a gateway with its state at the engines. */
export function presentWithState(gateway: Gateway, { state, status }: ShownGatewayState) {
  return { ...presentGateway(gateway), state, status }
}

/** See {@link presentWithState}. */
export type GatewayWithState = ReturnType<typeof presentWithState>
