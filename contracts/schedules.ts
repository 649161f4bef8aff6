import type { Needs } from '../core/ports.ts'

/** The one declaration of a function that is called again and again. */
export interface Schedule {
  /** Unique among workers and schedules; also the name of the handler file, in kebab case. */
  readonly name: string
  /** Folder of the handler. */
  readonly group: string
  readonly summary: string
  /** Whole minutes between two calls; the scheduler of the cloud knows no shorter time. */
  readonly everyMinutes: number
  readonly timeoutSeconds: number
  readonly needs: Needs
}

function schedule<const S extends Schedule>(declaration: S): S {
  return declaration
}

/** Queues the attempts of deliveries that were lost on their way. */
export const requeueDeliveries = schedule({
  name: 'requeueDeliveries',
  group: 'hooks',
  summary: 'Queue again the attempts that should have been made long ago',
  everyMinutes: 1,
  timeoutSeconds: 60,
  needs: { hooks: ['read'], deliveries: ['listDue', 'reschedule'], deliveryQueue: ['send', 'waiting'] },
})

/** Every schedule. */
export const schedules: readonly Schedule[] = [requeueDeliveries]
