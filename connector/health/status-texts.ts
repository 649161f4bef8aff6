import { type Engine, isReady } from '../runtime/engine.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'

/** The engine's status text is a dozen lines. */
const maxLength = 2_048

/** How long a report waits for an engine's text; one that is busy with a long list is heard by its links. */
const waitMs = 1_000

/** The contract allows the status page to be 15 s late: a report comes every 5 s, and its text may be this old. */
const keptMs = 8_000

/** The engines' own words on how they are. */
export interface StatusTexts {
  /**
   * The status text of an engine as of a few seconds ago, at most 2 048 characters; empty when there is none. Answers
   * within a second, asks an engine once at a time, and never rejects.
   */
  of(engine: Pick<Engine, 'name' | 'commands'>): Promise<string>
}

/** Asks the engines for their status texts, and keeps the answers for a while. */
export function statusTexts({ clock, timers }: Time): StatusTexts {
  const known = new Map<string, { readonly text: string; readonly at: number }>()
  const asking = new Map<string, Promise<void>>()

  const ask = async ({ name, commands }: Pick<Engine, 'name' | 'commands'>) => {
    try {
      const text = (await commands.api('status')).slice(0, maxLength)
      known.set(name, { text, at: clock.now() })
    } catch {
      // The earlier text stays valid for its time.
    } finally {
      asking.delete(name)
    }
  }

  return {
    of: async (engine) => {
      if (isReady(engine.commands)) {
        const asked = asking.get(engine.name) ?? ask(engine)
        asking.set(engine.name, asked)
        const over = new AbortController()
        await Promise.race([asked, pause(timers, waitMs, over.signal)])
        over.abort()
      }
      const last = known.get(engine.name)
      return last !== undefined && clock.now() - last.at <= keptMs ? last.text : ''
    },
  }
}
