/** Hangup causes by name, with their Q.850 number; those of 500 and more are the engine's own. */
const causes = new Map([
  ['NONE', 0],
  ['UNALLOCATED_NUMBER', 1],
  ['NO_ROUTE_TRANSIT_NET', 2],
  ['NO_ROUTE_DESTINATION', 3],
  ['CHANNEL_UNACCEPTABLE', 6],
  ['CALL_AWARDED_DELIVERED', 7],
  ['NORMAL_CLEARING', 16],
  ['USER_BUSY', 17],
  ['NO_USER_RESPONSE', 18],
  ['NO_ANSWER', 19],
  ['SUBSCRIBER_ABSENT', 20],
  ['CALL_REJECTED', 21],
  ['NUMBER_CHANGED', 22],
  ['EXCHANGE_ROUTING_ERROR', 25],
  ['DESTINATION_OUT_OF_ORDER', 27],
  ['INVALID_NUMBER_FORMAT', 28],
  ['FACILITY_REJECTED', 29],
  ['NORMAL_UNSPECIFIED', 31],
  ['NORMAL_CIRCUIT_CONGESTION', 34],
  ['NETWORK_OUT_OF_ORDER', 38],
  ['NETWORK_OUT_OF_ORDER', 38],
  ['NORMAL_TEMPORARY_FAILURE', 41],
  ['SWITCH_CONGESTION', 42],
  ['REQUESTED_CHAN_UNAVAIL', 44],
  ['OUTGOING_CALL_BARRED', 52],
  ['INCOMING_CALL_BARRED', 54],
  ['BEARERCAPABILITY_NOTAUTH', 57],
  ['BEARERCAPABILITY_NOTAVAIL', 58],
  ['SERVICE_UNAVAILABLE', 63],
  ['CHAN_NOT_IMPLEMENTED', 66],
  ['SERVICE_NOT_IMPLEMENTED', 79],
  ['INCOMPATIBLE_DESTINATION', 88],
  ['RECOVERY_ON_TIMER_EXPIRE', 102],
  ['MANDATORY_IE_MISSING', 96],
  ['INTERWORKING', 127],
  ['ORIGINATOR_CANCEL', 487],
  ['LOSE_RACE', 502],
  ['MANAGER_REQUEST', 503],
  ['ATTENDED_TRANSFER', 601],
  ['ALLOTTED_TIMEOUT', 602],
  ['USER_CHALLENGE', 603],
  ['MEDIA_TIMEOUT', 604],
  ['PICKED_OFF', 605],
  ['USER_NOT_REGISTERED', 606],
  ['PROGRESS_TIMEOUT', 607],
  ['INVALID_GATEWAY', 608],
  ['GATEWAY_DOWN', 609],
  ['INVALID_PROFILE', 622],
])

/** Returns the cause that a word names; an unknown one is taken for a normal end (`control/uuid-commands`). */
export function causeNamed(word: string): string {
  const name = word.toUpperCase()
  return causes.has(name) ? name : 'NORMAL_CLEARING'
}

/** Returns the Q.850 number of a cause; those that only the engine knows count as a normal end. */
export function q850Of(cause: string): number {
  const number = causes.get(cause) ?? 16
  return number > 127 ? 16 : number
}
