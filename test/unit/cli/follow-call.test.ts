import { describe, expect, it } from 'vitest'
import { type CallEnd, type CallLeg, endText, followCall } from '../../../cli/calls/follow-call.ts'

const own = { uuid: 'a', call_uuid: 'a', callstate: 'ACTIVE', application: 'bridge' }
const unanswered = (cause: string) => ({ cause, isAnswered: false })
const callee = { uuid: 'b', call_uuid: 'a', callstate: 'RINGING', application: '' }

/** Follows a call whose legs and causes are seen one after another; the last stays. */
async function outcomeOf(
  seen: readonly (readonly CallLeg[])[],
  ends: readonly (CallEnd | 'denied' | undefined)[] = [],
  bridges: readonly (boolean | undefined)[] = [false],
) {
  const waits: number[] = []
  const next = <T>(values: readonly T[]) => {
    let index = 0
    return async () => values[Math.min(index++, values.length - 1)]
  }
  const legs = next(seen)
  const outcome = await followCall('a', {
    legs: async () => (await legs()) ?? [],
    end: next(ends),
    isBridged: next(bridges),
    wait: async (ms) => void waits.push(ms),
    signal: new AbortController().signal,
  })
  return { outcome, waits }
}

describe('a followed call', () => {
  it('a call is answered when the dialled phone is up, not while it rings', async () => {
    const { outcome, waits } = await outcomeOf([[own], [own, callee], [own, { ...callee, callstate: 'ACTIVE' }]])

    expect(outcome).toEqual({ result: 'answered' })
    expect(waits).toHaveLength(2)
  })

  it('a call is answered when the engine serves it, and not while the engine prepares it', async () => {
    const steps = ['', 'set', 'ring_ready', 'sleep', 'echo'].map((application) => [{ ...own, application }])

    expect((await outcomeOf(steps)).outcome).toEqual({ result: 'answered' })
    expect((await outcomeOf(steps)).waits).toHaveLength(4)
  })

  it('a leg of another call does not make it answered', async () => {
    const stranger = { uuid: 'x', call_uuid: 'y', callstate: 'ACTIVE' }

    const { outcome } = await outcomeOf([[own, callee, stranger], []], [unanswered('USER_BUSY')])

    expect(outcome).toEqual({ result: 'ended', cause: 'USER_BUSY' })
  })

  it('a call that is gone has the cause of its record, as soon as there is one', async () => {
    expect((await outcomeOf([[own, callee], []], [undefined, undefined, unanswered('NO_ANSWER')])).outcome).toEqual({
      result: 'ended',
      cause: 'NO_ANSWER',
    })
  })

  it('a call without a record within a minute has ended for no known reason', async () => {
    const { outcome, waits } = await outcomeOf([[]], [undefined])

    expect(outcome).toEqual({ result: 'ended' })
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(60_000)
  })

  it('the record of an ended call is awaited no longer once the user may not read it', async () => {
    const { outcome, waits } = await outcomeOf([[]], ['denied'])

    expect([outcome, waits]).toEqual([{ result: 'ended', isDenied: true }, []])
  })

  it('a call that ended before it was seen to answer is answered by its records', async () => {
    const end = { cause: 'NORMAL_CLEARING', isAnswered: true }

    expect((await outcomeOf([[]], [end])).outcome).toEqual({ result: 'answered', cause: 'NORMAL_CLEARING' })
  })

  it('a user who sees the own leg alone has the answer from events, or is told that nothing shows it', async () => {
    const { outcome, waits } = await outcomeOf([[own]], [], [false, false, true])

    expect([outcome, waits.length]).toEqual([{ result: 'answered' }, 2])
    expect((await outcomeOf([[own]], [], [undefined])).outcome).toEqual({ result: 'not_followed' })
  })

  it('a call that rings for long is looked at less often', async () => {
    const { waits } = await outcomeOf(
      [...Array.from({ length: 14 }, () => [own, callee]), []],
      [unanswered('NO_ANSWER')],
    )

    expect([waits[0], waits[13]]).toEqual([250, 1000])
  })

  it('nothing is said of a call whose user has gone', async () => {
    const gone = AbortSignal.abort()
    const never = () => Promise.reject(new Error('asked'))

    expect(
      await followCall('a', { legs: never, end: never, isBridged: never, wait: never, signal: gone }),
    ).toBeUndefined()
  })
})

it('the end of a call is said in a word and in that of the engine', () => {
  expect(['USER_BUSY', 'NO_USER_RESPONSE', 'MEDIA_TIMEOUT'].map(endText)).toEqual([
    'busy (USER_BUSY)',
    'no answer (NO_USER_RESPONSE)',
    'failed (MEDIA_TIMEOUT)',
  ])
})
