import type { EventBus } from '../events/event-bus.ts'
import type { CallingPlace, Header } from '../events/engine-event.ts'
import type { SimulatedGateway } from './gateways.ts'

/** The SIP answer to a registration. */
export interface RegisterAnswer {
  readonly status: string
  readonly phrase: string
}

/** Fires the event of a gateway's new state (`events/gateways`); one that a SIP answer caused shows the answer. */
export function fireState(events: EventBus, gateway: SimulatedGateway, answer?: RegisterAnswer): void {
  const { name, state, status, wasAnswered } = gateway
  const network: Header[] = [
    ['Register-Network-IP', '127.0.0.1'],
    ['Register-Network-Port', '5060'],
  ]
  const answered: Header[] =
    answer === undefined
      ? []
      : [
          ['Phrase', answer.phrase],
          ['Status', answer.status],
        ]
  fire(
    events,
    'gateway_state',
    ['sofia_reg.c', 'sofia_reg_fire_custom_gateway_state_event', 156],
    [['Gateway', name], ['State', state], ['Ping-Status', status], ...(wasAnswered ? network : []), ...answered],
  )
}

/** Fires the event of a gateway that the engine has added. */
export function fireAdd(events: EventBus, name: string, profile: string): void {
  fire(
    events,
    'gateway_add',
    ['sofia_reg.c', 'sofia_reg_add_gateway', 3723],
    [
      ['Gateway', name],
      ['profile-name', profile],
    ],
  )
}

/** Fires the event of a gateway that is gone. */
export function fireDelete(events: EventBus, name: string, profile: string): void {
  fire(
    events,
    'gateway_delete',
    ['sofia_reg.c', 'sofia_reg_check_gateway', 343],
    [
      ['profile-name', profile],
      ['Gateway', name],
    ],
  )
}

function fire(events: EventBus, subclass: string, place: CallingPlace, headers: readonly Header[]): void {
  events.fire({ name: 'CUSTOM', place, leading: [['Event-Subclass', `sofia::${subclass}`]], headers })
}
