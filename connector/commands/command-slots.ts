import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { DomainCommands } from '../../core/connectors/connector-report.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type Release, Semaphore } from '../../core/concurrency/semaphore.ts'

/** The limits of an engine: commands in flight, and commands that wait. */
export interface SlotLimits {
  readonly places: number
  readonly queue: number
}

/**
 * Calls that ring, and orders that are answered at once: what each engine is given at a time, and what may wait. Lists
 * are of all engines together; many wait for the same reading, so that one more costs next to nothing.
 */
export const commandLimits = {
  calls: { places: 100, queue: 200 },
  orders: { places: 100, queue: 200 },
  lists: { places: 1_000, queue: 200 },
}

/** The slots of all engines. */
export interface EngineSlots {
  /** Those that a command takes one of; `engine` is absent for what goes to several engines, or to one to be found. */
  for(message: CommandMessage, engine: string | undefined): Slots
  readonly taken: number
  readonly waiting: number
  /** The share of each domain in both, the busiest first. Commands that belong to no domain are left out. */
  byDomain(): readonly DomainCommands[]
}

/**
 * Makes the slots of the engines. Each engine has its own, so that one that does not answer delays no orders to
 * another; orders to several engines, or to an engine that has yet to be found, have slots of their own, too. Calls
 * that ring and lists are limited separately, so a hang-up never waits for them. Within each kind the tenants share the
 * slots fairly.
 */
export function engineSlots(
  parts: Time & {
    readonly engines: readonly string[]
    readonly calls: SlotLimits
    readonly orders: SlotLimits
    readonly lists: SlotLimits
  },
): EngineSlots {
  const { clock, timers, calls, orders } = parts
  const make = () => ({
    calls: slots({ clock, timers, ...calls }),
    orders: slots({ clock, timers, ...orders }),
  })
  const shared = make()
  const lists = slots({ clock, timers, ...parts.lists })
  const own = new Map(parts.engines.map((name) => [name, make()]))
  const all = [lists, ...[shared, ...own.values()].flatMap(({ calls, orders }) => [calls, orders])]

  return {
    for: (message, engine) => {
      if (message.command.kind === 'list-channels') return lists
      const places = own.get(engine ?? '') ?? shared
      return isCall(message) ? places.calls : places.orders
    },
    get taken() {
      return all.reduce((sum, { taken }) => sum + taken, 0)
    },
    get waiting() {
      return all.reduce((sum, { waiting }) => sum + waiting, 0)
    },
    byDomain: () => {
      const domains = new Map<string, { domain: string; inFlight: number; waiting: number }>()
      const add = (domain: string | null, inFlight: number, waiting: number) => {
        if (domain === null) return
        const { inFlight: ran = 0, waiting: waited = 0 } = domains.get(domain) ?? {}
        domains.set(domain, { domain, inFlight: ran + inFlight, waiting: waited + waiting })
      }
      for (const { taken, waiting } of all.map((slots) => slots.keys())) {
        for (const owner of taken) add(owner, 1, 0)
        for (const owner of waiting) add(owner, 0, 1)
      }
      return [...domains.values()].sort((one, other) => other.inFlight + other.waiting - one.inFlight - one.waiting)
    },
  }
}

function isCall({ command }: CommandMessage): boolean {
  return command.kind === 'originate' || command.kind === 'eavesdrop'
}

/** EngineSlots among the commands that an engine works on at a time, shared by tenants. */
export interface Slots extends Pick<Semaphore<string | null>, 'taken' | 'waiting' | 'keys'> {
  /**
   * Takes a place for a tenant (a domain; `null` for commands that belong to none), now or when there is one. Returns
   * nothing when there is none by `deadlineAt` (epoch milliseconds), or when too many wait already.
   */
  take(owner: string | null, deadlineAt: number): Promise<Release | undefined>
}

/** Makes a semaphore of `places` with a queue of at most `queue` waiters, which wait until their deadlines. */
export function slots({
  places,
  queue,
  clock,
  timers,
}: Time & { readonly places: number; readonly queue: number }): Slots {
  const semaphore = new Semaphore<string | null>(places, queue)
  return {
    take: async (owner, deadlineAt) => {
      const late = new AbortController()
      const cancel = timers.after(Math.max(0, deadlineAt - clock.now()), () => late.abort())
      const release = await semaphore.take(owner, late.signal)
      cancel()
      return release
    },
    get taken() {
      return semaphore.taken
    },
    get waiting() {
      return semaphore.waiting
    },
    keys: () => semaphore.keys(),
  }
}
