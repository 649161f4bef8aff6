import type { GatewayName } from './gateway.ts'

/** The engine's words for the registration of a gateway, the worst first. `NOREG`: it does not register. */
const registrationStates = [
  'FAIL_WAIT',
  'FAILED',
  'TIMEOUT',
  'DOWN',
  'EXPIRED',
  'UNREGISTER',
  'UNREGED',
  'TRYING',
  'REGISTER',
  'NOREG',
  'REGED',
] as const

/** The state of a gateway's registration, in the engine's words. */
export type RegistrationState = (typeof registrationStates)[number]

/** The engine's words for whether calls may go to a gateway, the worst first. */
const gatewayStatuses = ['DOWN', 'UP'] as const

/** Whether calls may go to a gateway, in the engine's words. */
export type GatewayStatus = (typeof gatewayStatuses)[number]

/** The state of a gateway at one engine. */
export interface GatewayState extends GatewayName {
  readonly engine: string
  readonly state: RegistrationState
  readonly status: GatewayStatus
  /** When a connector knew it to be so, epoch milliseconds. */
  readonly observedAt: number
}

/** The state of a gateway as callers see it: `UNKNOWN` where no engine reports it. */
export interface ShownGatewayState {
  readonly state: RegistrationState | 'UNKNOWN'
  readonly status: GatewayStatus | 'UNKNOWN'
}

/** The clocks of two connectors differ by less. */
const slackMs = 1_000

/**
 * Returns the state of one gateway: of several engines, the worst, because calls may go through any of them.
 * `heardSince` says since when connectors have listened to each engine without a break, epoch milliseconds. A state
 * from before that may have passed unheard, and does not count, nor does one of an engine that no connector listens to.
 */
export function shownState(
  states: readonly GatewayState[],
  heardSince: ReadonlyMap<string, number>,
): ShownGatewayState {
  const valid = states.filter(
    ({ engine, observedAt }) => observedAt + slackMs >= (heardSince.get(engine) ?? Number.POSITIVE_INFINITY),
  )
  return {
    state: registrationStates.find((word) => valid.some(({ state }) => state === word)) ?? 'UNKNOWN',
    status: gatewayStatuses.find((word) => valid.some(({ status }) => status === word)) ?? 'UNKNOWN',
  }
}
