import { expect, test } from 'vitest'
import { commandLimits } from '../../../connector/commands/command-slots.ts'

/** Each number once more, with its reason. */
test('an engine has 100 slots for calls, 100 for orders and 1 000 for lists, and 200 commands of each kind may wait', () => {
  expect(commandLimits).toEqual({
    // A call rings up to two minutes. All its places and its queue together stay below the platform's 1 000 waiting
    // requests.
    calls: { places: 100, queue: 200 },
    // An order is answered at once. It has places of its own, so that it never waits for a call that rings.
    orders: { places: 100, queue: 200 },
    // Lists share one reading of an engine, so one more costs next to nothing.
    lists: { places: 1_000, queue: 200 },
  })
})
