import type { Context } from 'aws-lambda'
import type { Schedule } from '../contracts/schedules.ts'
import type { PortName, PortsOf } from '../contracts/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { runInTime } from './endpoint/deadline.ts'
import type { WorkerDeps } from './worker.ts'

/** The cloud adapter of each port that a schedule needs: exactly those. */
export type ScheduleAdaptersOf<S extends Schedule> = { readonly [P in keyof S['needs'] & PortName]: MakePort<P> }

/** Does the work of one call. An error fails the call; the next one follows on schedule. */
export type ScheduledWork<S extends Schedule> = (ports: PortsOf<S['needs']>, tools: WorkerDeps) => Promise<void>

/** Called by the schedule; the event carries no information. */
export type ScheduledHandler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>

/** A schedule's handler over cloud adapters, and the same over any other. */
export interface CloudSchedule<S extends Schedule> extends ScheduledHandler {
  readonly record: S
  readonly over: (ports: PortsOf<S['needs']>, tools: WorkerDeps) => ScheduledHandler
}

/**
 * Creates the handler of a schedule over given ports. When the function's time runs out, the call makes no further
 * requests.
 */
export function createScheduled<const S extends Schedule>(
  ports: PortsOf<S['needs']>,
  work: ScheduledWork<S>,
  tools: WorkerDeps,
): ScheduledHandler {
  return async (_event, context) => {
    try {
      await runInTime(context, tools.clock, () => work(ports, tools))
    } catch (error) {
      tools.log.error('scheduled work not done', error)
      throw error
    }
  }
}

/**
 * Returns the handler of a schedule over cloud adapters, created from the process's environment at the first call and
 * kept.
 */
export function scheduled<const S extends Schedule>(
  record: S,
  adapters: ScheduleAdaptersOf<S>,
  work: ScheduledWork<S>,
): CloudSchedule<S> {
  let handler: ScheduledHandler | undefined
  const make = () => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    return createScheduled<S>(Object.fromEntries(made) as PortsOf<S['needs']>, work, cloudTools(context, record.name))
  }
  return Object.assign(
    async (event: unknown, context: Parameters<ScheduledHandler>[1]) => (handler ??= make())(event, context),
    {
      record,
      over: (ports: PortsOf<S['needs']>, tools: WorkerDeps) => createScheduled<S>(ports, work, tools),
    },
  )
}
