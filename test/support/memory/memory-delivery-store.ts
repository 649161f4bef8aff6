import { type Delivery, deliveryLimits, runsOf } from '../../../core/hooks/delivery/delivery.ts'
import type { AttemptOutcome, DeliveryStore } from '../../../core/hooks/delivery/delivery-store.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Deliveries in memory. */
export function memoryDeliveryStore({ state, clock }: MemoryContext): DeliveryStore {
  const keyOf = ({ domain, hookId, id }: Pick<Delivery, 'domain' | 'hookId' | 'id'>) => memoryKey(domain, hookId, id)
  const kept = (key: string) => {
    const delivery = state.deliveries.get(key)
    return delivery && keptUntil.delivery(delivery) > clock.now() ? delivery : undefined
  }
  /** The stored delivery where it still waits as given. */
  const waiting = (given: Delivery) => {
    const stored = kept(keyOf(given))
    return stored?.state === 'pending' && stored.tries === given.tries ? stored : undefined
  }
  const put = (delivery: Delivery) => void state.deliveries.set(keyOf(delivery), delivery)
  /** Stores a delivery under a new plan, which lists it if it is pending. */
  const putPlanned = (delivery: Delivery) => {
    put(delivery)
    state.unlistedDeliveries.delete(keyOf(delivery))
  }
  const all = () => [...state.deliveries.keys()].flatMap((key) => kept(key) ?? [])

  const store: DeliveryStore = {
    async create(delivery) {
      if (kept(keyOf(delivery)) !== undefined) return false
      put(delivery)
      return true
    },
    async read(domain, hookId, id) {
      return kept(memoryKey(domain, hookId, id))
    },
    async keepEvent(event) {
      const { domain } = event
      const known = state.deliveryEvents.get(memoryKey(domain, event.id))
      if (known !== undefined && keptUntil.deliveryEvent(known.keptAt) > clock.now()) return
      state.deliveryEvents.set(memoryKey(domain, event.id), { domain, event, keptAt: clock.now() })
    },
    async readEvent({ domain, eventId }) {
      const found = state.deliveryEvents.get(memoryKey(domain, eventId))
      return found && keptUntil.deliveryEvent(found.keptAt) > clock.now() ? found.event : undefined
    },
    async beginAttempt(delivery, run, at) {
      const stored = waiting(delivery)
      if (stored === undefined || stored.nextAttemptAt !== delivery.nextAttemptAt) return false
      if (Object.keys(stored.begun).length >= deliveryLimits.runs) return false
      put({ ...stored, begun: { ...stored.begun, [run]: at } })
      return true
    },
    async recordAttempt(delivery, outcome) {
      const stored = kept(keyOf(delivery))
      if (stored === undefined) return 'gone'
      if (outcome.run !== undefined && stored.begun[outcome.run] === undefined) return 'added'
      if (waiting(delivery) === undefined) {
        if (outcome.run !== undefined) put(added(stored, outcome))
        return 'added'
      }
      putPlanned({
        ...planned(without(stored, outcome.run), outcome.nextAttemptAt),
        state: outcome.state,
        attempts: [...stored.attempts, outcome.attempt],
        tries: stored.tries + 1,
        triedFor: delivery.nextAttemptAt,
      })
      return 'decided'
    },
    async createTogether(deliveries) {
      if (deliveries.some((delivery) => kept(keyOf(delivery)) !== undefined)) return false
      for (const delivery of deliveries) await store.create(delivery)
      return true
    },
    async recordTogether(attempts) {
      const isAsGiven = attempts.every(({ delivery, outcome }) => waiting(delivery)?.begun[outcome.run] !== undefined)
      if (!isAsGiven) return false
      for (const { delivery, outcome } of attempts) await store.recordAttempt(delivery, outcome)
      return true
    },
    async reschedule(delivery, at) {
      const stored = waiting(delivery)
      if (stored === undefined || stored.nextAttemptAt !== delivery.nextAttemptAt) return false
      putPlanned(planned(stored, at))
      return true
    },
    async reopen(given, at) {
      const stored = kept(keyOf(given))
      if (stored === undefined || stored.state === 'pending' || stored.tries !== given.tries) return undefined
      if (Object.keys(stored.begun).length !== Object.keys(given.begun).length) return undefined
      if (stored.attempts.length >= deliveryLimits.reopened) return undefined
      const { interrupted, underWay } = runsOf(stored, at)
      const opened: Delivery = {
        ...planned(stored, at),
        state: 'pending',
        attempts: [...stored.attempts, ...interrupted],
        earlierTries: stored.tries,
        begun: underWay,
      }
      putPlanned(opened)
      return opened
    },
    async listDue(before, limit, after) {
      const due = all().filter(
        (delivery) => (delivery.nextAttemptAt ?? before) < before && !state.unlistedDeliveries.has(keyOf(delivery)),
      )
      const ordered = due.sort(byText(({ id }) => id)).sort((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0))
      const wanted = ordered.filter((delivery) => after === undefined || isAfter(delivery, after))
      return { deliveries: wanted.slice(0, limit), unreadable: [] }
    },
    async listFailed(domain, limit, after) {
      const failed = all().filter((delivery) => delivery.domain === domain && delivery.state === 'failed')
      const ordered = failed.sort(byText(({ id }) => id)).toReversed()
      return ordered.filter(({ id }) => after === undefined || id < after.id).slice(0, limit)
    },
    async list(domain, hookId, { newestFirst, limit, after }) {
      const ordered = all()
        .filter((delivery) => delivery.domain === domain && delivery.hookId === hookId)
        .sort(byText(({ id }) => id))
      if (newestFirst) ordered.reverse()
      const isAfterIt = (id: string) => after === undefined || (newestFirst ? id < after : id > after)
      return ordered.filter(({ id }) => isAfterIt(id)).slice(0, limit)
    },
  }
  return store
}

/** In the order of moments, then ids. */
function isAfter(delivery: Delivery, after: Pick<Delivery, 'id' | 'nextAttemptAt'>): boolean {
  const [at = 0, afterAt = 0] = [delivery.nextAttemptAt, after.nextAttemptAt]
  return at > afterAt || (at === afterAt && delivery.id > after.id)
}

function planned(delivery: Delivery, at: number | undefined): Delivery {
  const { nextAttemptAt: _, ...rest } = delivery
  return at === undefined ? rest : { ...rest, nextAttemptAt: at }
}

function without(delivery: Delivery, run = ''): Delivery {
  const { [run]: _, ...begun } = delivery.begun
  return { ...delivery, begun }
}

/** Records a run that did not move the delivery on: its attempt where there is room, and its success. */
function added(stored: Delivery, { run, attempt, state }: AttemptOutcome): Delivery {
  const hasRoom = stored.attempts.length < deliveryLimits.attempts
  const listed = { ...without(stored, run), attempts: hasRoom ? [...stored.attempts, attempt] : stored.attempts }
  return state === 'delivered' ? { ...planned(listed, undefined), state } : listed
}
