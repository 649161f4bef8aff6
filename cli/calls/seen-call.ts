import { CallplaneError } from '../../client/index.ts'
import type { Session } from '../session/session.ts'
import type { CallEnd, CallLeg, FollowDeps } from './follow-call.ts'

/** Returns what a user sees of a placed call: its legs, its bridge and its records. */
export function seenCall(
  { client, query, signal }: Pick<Session, 'client' | 'query' | 'signal'>,
  uuid: string,
): Pick<FollowDeps, 'legs' | 'isBridged' | 'end'> {
  let [since, seesAll] = [0, undefined as boolean | undefined]
  const legs = async (): Promise<readonly CallLeg[]> => {
    const filter = JSON.stringify({ call_uuid: uuid })
    return (await client.call('listChannels', { query: { ...query, filter }, signal })).data.rows
  }
  const isBridged = async () => {
    seesAll ??=
      (await client.call('whoAmI', { signal })).acl['channels']?.some((right) => /^[r*]$/.test(right)) === true
    if (seesAll) return false
    const wanted = { call: uuid, name: 'CHANNEL_BRIDGE', fields: answeredAt, since: String(since) }
    const { data } = await client.call('listEvents', { query: { ...query, ...wanted }, signal })
    since = data.next
    if (data.events.some(({ event }) => Number(event[answeredAt]) > 0)) return true
    // Without a hook there are no events, and the answer after a bridge with early media has none that the user sees.
    return data.isCollected && data.events.length === 0 ? false : undefined
  }
  const end = async (): Promise<CallEnd | undefined> => {
    const { data } = await client.call('readCdr', { params: { uuid }, query, signal })
    const { data: others } = await client.call('listOtherLegs', { params: { uuid }, query, signal })
    const isAnswered = others.some(wasAnswered) || (others.length === 0 && (await isBridged()) === true)
    // The record of the side that was reached is still on its way.
    if (others.length === 0 && seesAll === true && data['originate_disposition'] === 'SUCCESS') return undefined
    return { cause: causeOf(data), isAnswered }
  }
  return { legs, isBridged, end: () => end().catch(unlessAbsent) }
}

const answeredAt = 'Other-Leg-Channel-Answered-Time'

type Fields = Readonly<Record<string, unknown>>

/** Whole seconds do not show a call of less than one. */
function wasAnswered({ billsec, variables }: Fields): boolean {
  const { endpoint_disposition: disposition }: Fields = { ...(typeof variables === 'object' ? variables : {}) }
  return Number(billsec) > 0 || disposition === 'ANSWER'
}

/** The cause of the other side says more than that of the leg which heard of it. */
function causeOf({ hangup_cause: own, originate_disposition: other }: Fields): string {
  const isCause = own === 'NORMAL_CLEARING' && typeof other === 'string' && other !== 'SUCCESS'
  return isCause ? other : String(own)
}

function unlessAbsent(error: unknown): 'denied' | undefined {
  if (error instanceof CallplaneError && error.status === 404) return undefined
  if (error instanceof CallplaneError && error.status === 403) return 'denied'
  throw error
}
