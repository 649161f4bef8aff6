import type { Time } from '../../core/concurrency/timers.ts'
import type { CommandEngine } from './command-dispatch.ts'
import { type Slots, slots } from './command-slots.ts'

/**
 * Questions that one engine is given at a time. Its link carries one after another, so more would not be answered
 * sooner, and an order waits behind no more than these, however many calls are to be placed.
 */
const together = 4

/** Questions that may wait for an engine: as many as it answers in the second that they are worth. */
const waiting = 1_000

/** Which phone is asked for, and the domain that the question counts for. */
export interface PhoneAsk {
  readonly domain: string | null
  readonly line: string
}

/** Asks engines for phones. */
export interface PhoneAsks {
  /**
   * Whether an engine has a contact of the phone of a `domain` that `line` asks for, if it can be asked by
   * `deadlineAt`, epoch milliseconds: one that owes answers is asked no more until it gives one. Rejects when it could
   * not be asked, and as its link does.
   */
  has(engine: CommandEngine, ask: PhoneAsk, deadlineAt: number): Promise<boolean>
}

/** Makes a record of the engines that are asked for phones, which is empty at first. */
export function phoneAsks({
  engines,
  ...time
}: Time & { readonly engines: readonly Pick<CommandEngine, 'engine'>[] }): PhoneAsks {
  const places = new Map<string, Slots>(
    engines.map(({ engine }) => [engine.name, slots({ ...time, places: together, queue: waiting })]),
  )
  return {
    has: async ({ engine }, { domain, line }, deadlineAt) => {
      const release = await places.get(engine.name)?.take(domain, deadlineAt)
      if (release === undefined) throw new Error('the engine owes too many answers to be asked')
      try {
        // Dial strings such as `sofia/internal/sip:…`, or `error/user_not_registered`.
        return (await engine.commands.api(line)).includes('sofia/')
      } finally {
        release()
      }
    },
  }
}
