/** A row of the list of channels, as far as the outcome of a call can be seen in it. */
export interface CallLeg {
  readonly uuid?: string
  readonly call_uuid?: string
  readonly callstate?: string
  readonly application?: string
}

/** The outcome of a call: its other side answered, or it ended before. `cause` is absent if no record has it yet. */
export type CallOutcome = { readonly result: 'answered' } | { readonly result: 'ended'; readonly cause?: string }

/** What following a call needs. */
export interface FollowDeps {
  /** Returns the live legs of the call. */
  readonly legs: () => Promise<readonly CallLeg[]>
  /** Returns the hangup cause of the call's record; nothing while there is no record. */
  readonly cause: () => Promise<string | undefined>
  readonly wait: (ms: number) => Promise<void>
  readonly signal: AbortSignal
}

/** A leg that runs one of these has not reached anybody yet. */
const preparing = new Set(
  'bridge export hash info limit log pre_answer presence ring_ready set set_user sleep unset'.split(' '),
)

/** Looks quickly at first, since most calls are decided within two seconds. */
const [soonMs, laterMs, soonLooks] = [250, 1000, 12]
/** A record is usually there within seconds after the call, and by contract within a minute. */
const causeLooks = 20

/**
 * Follows a placed call until its other side answers or it ends, and returns which. Returns nothing when the user ended
 * it before; the call goes on then.
 */
export async function followCall(uuid: string, deps: FollowDeps): Promise<CallOutcome | undefined> {
  for (let looks = 0; !deps.signal.aborted; looks += 1) {
    const legs = await deps.legs()
    const own = legs.find((leg) => leg.uuid === uuid)
    if (own === undefined) return endOf(deps)
    const others = legs.filter((leg) => leg.uuid !== uuid && leg.call_uuid === uuid)
    if (others.some(isUp) || (others.length === 0 && isUp(own) && isServed(own))) return { result: 'answered' }
    await deps.wait(looks < soonLooks ? soonMs : laterMs)
  }
  return undefined
}

function isUp({ callstate }: CallLeg): boolean {
  return callstate === 'ACTIVE' || callstate === 'HELD'
}

/** Whether an application of the engine talks to the leg, such as a menu, a mailbox or the echo. */
function isServed({ application = '' }: CallLeg): boolean {
  return application !== '' && !preparing.has(application)
}

async function endOf({ cause, wait, signal }: FollowDeps): Promise<CallOutcome | undefined> {
  for (let looks = 0; looks < causeLooks && !signal.aborted; looks += 1) {
    const found = await cause()
    if (found !== undefined) return { result: 'ended', cause: found }
    await wait(soonMs * 2)
  }
  return signal.aborted ? undefined : { result: 'ended' }
}

const words: Readonly<Record<string, string>> = {
  ALLOTTED_TIMEOUT: 'no answer',
  CALL_REJECTED: 'declined',
  NO_ANSWER: 'no answer',
  NO_ROUTE_DESTINATION: 'no route leads there',
  NO_USER_RESPONSE: 'no answer',
  NORMAL_CLEARING: 'ended',
  ORIGINATOR_CANCEL: 'ended by the caller',
  SUBSCRIBER_ABSENT: 'no phone is registered',
  UNALLOCATED_NUMBER: 'no such number',
  USER_BUSY: 'busy',
  USER_NOT_REGISTERED: 'no phone is registered',
}

/** Returns why a call ended, in a word and the engine's own: `busy (USER_BUSY)`. */
export function endText(cause: string): string {
  return `${words[cause] ?? 'failed'} (${cause})`
}
