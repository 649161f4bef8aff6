import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { OwnDelay } from '../../../core/hooks/attempt/own-delay.ts'
import { measured } from '../../../core/hooks/attempt/receiver-speed.ts'
import { noOwnDelay } from '../../support/hooks/no-own-delay.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aHook } from '../../support/records/records.ts'

const minute = 60_000

/** A hook, and calls to its receiver of a given duration. */
async function aReceiver(given: { slowMsAgo?: number } = {}) {
  const time = manualTime()
  const { clock, timers } = time
  const ownDelay = new OwnDelay(time)
  const { hooks } = memoryPorts({ clock, random: systemRandomness })
  const hook = aHook(given.slowMsAgo === undefined ? {} : { slowAt: clock.now() - given.slowMsAgo })
  await hooks.create([hook], 100)
  const notes: (number | undefined)[] = []
  const noteSpeed: typeof hooks.noteSpeed = async (which, slowAt) => {
    notes.push(slowAt)
    await hooks.noteSpeed(which, slowAt)
  }
  const stored = async () => (await hooks.read(hook.domain, hook.id))?.slowAt
  return {
    clock,
    hook,
    hooks,
    notes,
    stored,
    /** Makes a call as an attempt does, with the hook as it is now. */
    call: async (takesMs: number) => {
      const held = Promise.withResolvers<string>()
      timers.after(takesMs, () => held.resolve('answer'))
      const now = (await hooks.read(hook.domain, hook.id)) ?? hook
      const calling = measured({ hooks: { noteSpeed }, clock, timers, ownDelay }, now, () => held.promise)
      await time.advance(takesMs)
      return calling
    },
  }
}

describe('a receiver', () => {
  it.each([
    [1_999, false],
    [2_000, true],
    [14_000, true],
  ])('a receiver that takes %i ms counts as slow: %s', async (ms, isSlow) => {
    const { clock, call, stored } = await aReceiver()
    const at = clock.now()

    const made = await call(ms)

    expect(made).toMatchObject({ called: 'answer', at, durationMs: ms })
    expect(made.speed.slowAt).toBe(isSlow ? at + 2_000 : undefined)
    expect(await stored()).toBe(isSlow ? at + 2_000 : undefined)
  })

  it('the time by which this process itself was late does not count for the receiver', async () => {
    const time = manualTime()
    const { hook, hooks } = await aReceiver()
    const held = Promise.withResolvers<string>()
    const calling = measured({ ...time, hooks, ownDelay: new OwnDelay(time) }, hook, () => held.promise)
    await time.advance(20)

    await time.stall(400)
    held.resolve('answer')

    expect(await calling).toMatchObject({ durationMs: 420, receiverMs: 0 })
  })

  it('a receiver whose answer this process reads two seconds late does not count as slow', async () => {
    const time = manualTime()
    const { hook, hooks, stored } = await aReceiver()
    const held = Promise.withResolvers<string>()
    const calling = measured({ ...time, hooks, ownDelay: new OwnDelay(time) }, hook, () => held.promise)
    await time.advance(20)

    await time.stall(2_500)
    held.resolve('answer')

    expect(await calling).toMatchObject({ durationMs: 2_520, receiverMs: 0, speed: { slowAt: undefined } })
    expect(await stored()).toBeUndefined()
  })

  it('a receiver that fails after two seconds counts as slow, and the failure is reported', async () => {
    const time = manualTime()
    const { hook, hooks, stored } = await aReceiver()
    const held = Promise.withResolvers<never>()
    const calling = measured({ ...time, hooks, ownDelay: noOwnDelay }, hook, () => held.promise)
    await time.advance(2_000)
    held.reject(new Error('killed'))

    await expect(calling).rejects.toThrow('killed')
    expect(await stored()).toBe(time.clock.now())
  })

  it.each([
    ['a minute ago', 999, minute, false],
    ['a minute ago, and takes a second', 1_000, minute + 1_000, true],
    ['less than a minute ago', 10, minute - 11, true],
  ])('a receiver that was slow %s and takes %i ms stays slow: %s', async (_title, ms, slowMsAgo, isSlow) => {
    const { call, stored } = await aReceiver({ slowMsAgo })

    const { speed } = await call(ms)

    expect(speed.slowAt !== undefined).toBe(isSlow)
    expect((await stored()) !== undefined).toBe(isSlow)
  })

  it('a receiver that stays slow is recorded again every half minute', async () => {
    const { call, notes, clock } = await aReceiver({ slowMsAgo: 0 })
    const since = clock.now()

    for (let count = 0; count < 14; count += 1) await call(5_000)

    expect(notes.map((at = 0) => at - since)).toEqual([30_000, 60_000])
  })

  it('a receiver that is slow in one attempt and fast in another at the same time stays slow', async () => {
    const { hook, hooks, call, stored, clock } = await aReceiver({ slowMsAgo: 2 * minute })
    const before = (await hooks.read(hook.domain, hook.id)) ?? hook
    await call(3_000)
    const noted = await stored()

    await hooks.noteSpeed(before, undefined)

    expect(noted).toBe(clock.now() - 1_000)
    expect(await stored()).toBe(noted)
  })
})
