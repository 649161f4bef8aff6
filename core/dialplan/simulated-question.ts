import type { AccountStore } from '../accounts/account-store.ts'
import { invalidField } from '../errors.ts'
import type { GatewayStore } from '../gateways/gateway-store.ts'
import type { Gateway } from '../gateways/gateway.ts'
import type { CallPlan, RoutedCall } from './call-plan.ts'
import { dialledNumber, publicContext } from './dialplan-question.ts'
import { findAccount } from './find-account.ts'
import { menuVariable } from './menu-actions.ts'
import type { SimulatedCall } from './simulate-call.ts'

/** A call to simulate, as a tenant describes it. */
export interface SimulationInput {
  readonly number: string
  /** An account's login or number, or any other caller's number. */
  readonly caller?: string | undefined
  /** Epoch milliseconds, or an ISO-8601 time. */
  readonly time?: number | string | undefined
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** `inbound`: the call comes from {@link gateway}. */
  readonly direction?: 'internal' | 'inbound' | undefined
  readonly gateway?: string | undefined
  readonly digits?: readonly string[] | undefined
}

interface SimulationPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'readByNumber'>
  readonly gateways: Pick<GatewayStore, 'read'>
}

/**
 * Makes the question that the engine would ask about a call. A caller that is an account of the domain is
 * authenticated, and shows its login; one that comes from a gateway has no account. Throws `invalid_field` for a time
 * that cannot be read, and for a gateway that calls cannot come from.
 */
export async function simulatedQuestion(
  { accounts, gateways }: SimulationPorts,
  domain: string,
  { number: dialled, caller: of = '', time, variables: given = {}, direction, gateway: from }: SimulationInput,
  now: number,
): Promise<{ readonly call: RoutedCall; readonly now: number }> {
  const number = dialledNumber(dialled)
  const isName = /^[A-Za-z0-9._+*#-]{1,64}$/.test(of)
  const gateway = direction === 'inbound' ? await callingGateway(gateways, domain, from) : undefined
  const account = isName && gateway === undefined ? await findAccount(accounts, domain, of) : undefined
  const shown = given['caller_id_number'] ?? account?.login ?? of
  const variables = new Map([
    ...Object.entries(given),
    ['destination_number', number],
    ['caller_id_number', shown],
    ['context', gateway === undefined ? domain : publicContext],
    ...(account === undefined
      ? []
      : Object.entries({ user_name: account.login, domain_name: domain, sip_authorized: 'true' })),
  ])
  variables.delete('svc_route')
  variables.delete('svc_emergency')
  variables.delete(menuVariable)
  const isAsSent = given['caller_id_number'] === undefined
  const caller = {
    number: shown,
    login: account?.login,
    sent: shown,
    nameToShow: isAsSent ? account?.login : undefined,
  }
  const call = { domain, number, caller, variables, gateway }
  return { call, now: momentOf(time, now) }
}

async function callingGateway(
  gateways: SimulationPorts['gateways'],
  domain: string,
  name: string | undefined,
): Promise<Gateway> {
  const gateway = name === undefined ? undefined : await gateways.read(domain, name)
  if (gateway?.enabled === true) return gateway
  throw invalidField('gateway', 'must be an enabled gateway of the domain, with the direction inbound')
}

function momentOf(time: number | string | undefined, now: number): number {
  if (time === undefined) return now
  const moment = typeof time === 'number' ? time : isoTime.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(moment) || Math.abs(moment) > 253_402_300_799_000) {
    throw invalidField(
      'time',
      'must be epoch milliseconds or an ISO-8601 time with a zone, such as 2026-01-31T08:00:00Z',
    )
  }
  return moment
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Returns the answer of a simulation as the API shows it. */
export function presentSimulation({ matched, considered, steps, end }: SimulatedCall) {
  const shown = ({ id, ...rest }: CallPlan['considered'][number]) => ({ _id: id, ...rest })
  const { id, ...match } = matched
  return {
    matched: { ...match, ...(id !== undefined && { _id: id }) },
    considered: considered.map(shown),
    steps: steps.map(({ path, kind, application, data, taken, reason }) => ({
      path,
      kind,
      ...(application !== undefined && { application }),
      ...(data !== undefined && { data }),
      taken,
      reason,
    })),
    end,
  }
}
