import * as z from 'zod/mini'
import { gatewayStatuses, registrationStates } from '../../contracts/gateway-words.ts'
import type { GatewayState } from '../../core/gateways/gateway-state.ts'
import { type GatewayName, gatewayOfEngine } from '../../core/gateways/gateway.ts'
import { gatewayProfile } from '../commands/command-line.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/** The state of a gateway in an engine's own words, once they are known words. */
export type ReportedState = Pick<GatewayState, 'state' | 'status'>

/** A gateway with its state. */
export interface ReportedGateway extends GatewayName, ReportedState {}

/** An engine's event of a gateway. */
export type GatewayReport =
  | { readonly kind: 'added' | 'gone'; readonly gateway: GatewayName }
  | { readonly kind: 'state'; readonly gateway: ReportedGateway }

const words = z.object({ state: z.enum(registrationStates), status: z.enum(gatewayStatuses) })

/** One gateway of `sofia xmlstatus gateway` (`api/gateways`). */
const element =
  /<gateway>\s*<name>([^<]*)<\/name>\s*<profile>([^<]*)<\/profile>[^]*?<state>([^<]*)<\/state>\s*<status>([^<]*)<\/status>/g

/** The line that asks an engine for the states of all its gateways. */
export const statesLine = 'sofia xmlstatus gateway'

/** The line that asks an engine for its SIP profile of gateways. */
export const profileLine = `sofia xmlstatus profile ${gatewayProfile}`

/** Reads whether the profile accepts TLS from an answer to {@link profileLine}; `undefined` for another answer. */
export function readProfileTls(answer: string): boolean | undefined {
  return answer.includes('<profile-info>') ? answer.includes('<tls-url>') : undefined
}

/**
 * Reads `sofia::gateway_add`, `sofia::gateway_delete` and `sofia::gateway_state`. Anything else is `undefined`, and so
 * is an event of a gateway that is not named as the platform names them, or in a state that is not known.
 */
export function readGatewayEvent(event: Pick<EngineEvent, 'subclass' | 'header'>): GatewayReport | undefined {
  const { subclass } = event
  if (!subclass.startsWith('sofia::gateway_')) return undefined
  const gateway = gatewayOfEngine(event.header('Gateway') ?? '')
  if (gateway === undefined) return undefined
  if (subclass === 'sofia::gateway_add') return { kind: 'added', gateway }
  if (subclass === 'sofia::gateway_delete') return { kind: 'gone', gateway }
  if (subclass !== 'sofia::gateway_state') return undefined
  const read = words.safeParse({ state: event.header('State'), status: event.header('Ping-Status') })
  return read.success ? { kind: 'state', gateway: { ...gateway, ...read.data } } : undefined
}

/** Reads the gateways of a SIP profile from an answer to {@link statesLine}; `undefined` for another answer. */
export function readGatewayStates(answer: string, ofProfile: string): readonly ReportedGateway[] | undefined {
  if (!answer.includes('<gateways>')) return undefined
  return [...answer.matchAll(element)].flatMap(([, name = '', profile, state, status]) => {
    const gateway = gatewayOfEngine(name)
    const read = words.safeParse({ state, status })
    return gateway === undefined || profile !== ofProfile || !read.success ? [] : [{ ...gateway, ...read.data }]
  })
}
