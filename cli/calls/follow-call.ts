/** A row of the list of channels, as far as the outcome of a call can be seen in it. */
export interface CallLeg {
  readonly uuid?: string
  readonly call_uuid?: string
  readonly callstate?: string
  readonly application?: string
}

/**
 * The outcome of a call: its other side answered, or it ended before, or it goes on and nothing shows whether it is
 * answered. `cause` is absent if no record has it yet, or none that the user may read.
 */
export interface CallOutcome {
  readonly result: 'answered' | 'ended' | 'not_followed'
  readonly cause?: string
  readonly isDenied?: true
}

/** What the records of a call that has ended show of its other side. */
export interface CallEnd {
  readonly cause: string
  readonly isAnswered: boolean
}

/** What following a call needs. */
export interface FollowDeps {
  /** Returns the live legs of the call. */
  readonly legs: () => Promise<readonly CallLeg[]>
  /**
   * Returns whether events show that the other side answered, for a user who does not see the leg of that side; nothing
   * where events cannot show it.
   */
  readonly isBridged: () => Promise<boolean | undefined>
  /** Returns the end of the call by its records; nothing while there is none, `denied` if the user may not read it. */
  readonly end: () => Promise<CallEnd | 'denied' | undefined>
  readonly wait: (ms: number) => Promise<void>
  readonly signal: AbortSignal
}

/** A leg that runs one of these has not reached anybody yet. */
const preparing = new Set(
  'bridge export hash info limit log pre_answer presence ring_ready set set_user sleep unset'.split(' '),
)

/** Looks quickly at first, since most calls are decided within two seconds. */
const [soonMs, laterMs, soonLooks] = [250, 1000, 12]
/** By contract a record is there within a minute after the call. */
const endLooks = 60

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
    if (others.length === 0 && own.application === 'bridge') {
      const isBridged = await deps.isBridged()
      if (isBridged !== false) return { result: isBridged === true ? 'answered' : 'not_followed' }
    }
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

async function endOf({ end, wait, signal }: FollowDeps): Promise<CallOutcome | undefined> {
  for (let looks = 0; looks < endLooks && !signal.aborted; looks += 1) {
    const found = await end()
    if (found === 'denied') return { result: 'ended', isDenied: true }
    if (found !== undefined) return { result: found.isAnswered ? 'answered' : 'ended', cause: found.cause }
    await wait(laterMs)
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
