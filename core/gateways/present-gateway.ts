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
    confirmed_networks: [...gateway.confirmedNetworks],
    transport: gateway.transport,
    srtp: gateway.srtp,
    expires: gateway.expires,
    caller_id: gateway.callerId,
    ...(gateway.maxCalls !== undefined && { max_calls: gateway.maxCalls }),
    codecs: [...gateway.codecs],
  }
}

/** The facts that a reader sees of a gateway besides its settings. */
export interface GatewayView {
  readonly state: ShownGatewayState
  /** Fields that would be refused today and are not served as they are. */
  readonly ignored: readonly string[]
  /** Gateways of other domains with a network of this one, `<domain>/<name>`; for root only. */
  readonly overlaps?: readonly string[] | undefined
}

/** Returns a gateway with its state at the engines, and what is wrong with it. */
export function presentWithState(gateway: Gateway, { state: { state, status }, ignored, overlaps = [] }: GatewayView) {
  return {
    ...presentGateway(gateway),
    state,
    status,
    ...(ignored.length > 0 && { ignored: [...ignored] }),
    ...(overlaps.length > 0 && { overlaps: [...overlaps] }),
  }
}

/** See {@link presentWithState}. */
export type GatewayWithState = ReturnType<typeof presentWithState>
