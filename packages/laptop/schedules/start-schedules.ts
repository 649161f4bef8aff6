import type { Assembly } from '../assembly/assembly.ts'
import type { FunctionHost } from '../functions/function-host.ts'
import { untilAborted } from '../processes/until-aborted.ts'
import { RepeatedCall } from './repeated-call.ts'

/** Schedules that run. */
export interface RunningSchedules {
  /** Begins no more calls; settles when those under way are over or `patience` ends. */
  stop(patience: AbortSignal): Promise<void>
}

/** Starts calling the functions of all schedules, as the scheduler of the cloud does. */
export function startSchedules(
  assembly: Pick<Assembly, 'schedules' | 'functions'>,
  { host }: { readonly host: Pick<FunctionHost, 'invoke'> },
): RunningSchedules {
  let stopping = false
  const running = assembly.schedules.map(({ functionArn, everyMs }) => {
    const called = assembly.functions.find(({ arn }) => arn === functionArn)
    if (called === undefined) throw new Error(`${functionArn} is not in the assembly`)
    return new RepeatedCall({
      everyMs,
      call: () => host.invoke(called.name, {}),
      onError: (error) => {
        if (stopping) return
        console.error(`schedule of ${called.name}: ${error instanceof Error ? error.message : String(error)}`)
      },
    })
  })
  return {
    async stop(patience) {
      stopping = true
      await untilAborted(Promise.all(running.map((call) => call.stop())), patience)
    },
  }
}
