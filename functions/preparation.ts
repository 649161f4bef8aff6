import type { Context } from 'aws-lambda'
import * as z from 'zod/mini'
import { cdrMetrics } from '../contracts/metrics.ts'
import type { Preparation } from '../contracts/preparations.ts'
import type { PortName, PortsOf } from '../contracts/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { late, withDeadline } from './endpoint/deadline.ts'
import type { WorkerDeps } from './worker.ts'

/** The cloud adapter of each port that a preparation needs: exactly those. */
export type PreparationAdaptersOf<P extends Preparation> = {
  readonly [N in keyof P['needs'] & PortName]: MakePort<N>
}

/** Prepares the store. Returns notes for people, in sentences; an error fails a first deployment. */
export type PreparationWork<P extends Preparation> = (
  ports: PortsOf<P['needs']>,
  tools: WorkerDeps,
) => Promise<readonly string[]>

/** The answer of a preparation to a direct call. */
export interface Prepared {
  readonly notes: readonly string[]
}

/** Called by a deployment with a CloudFormation request, and by a laptop with `{}`. */
export type PreparationHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<Prepared>

/** A preparation's handler over cloud adapters, and the same over any other. */
export interface CloudPreparation<P extends Preparation> extends PreparationHandler {
  readonly record: P
  readonly over: (ports: PortsOf<P['needs']>, tools: WorkerDeps) => PreparationHandler
}

/**
 * CloudFormation's request for a custom resource. It waits for an answer at the address in the request:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref.html
 */
const deploymentRequest = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
})

const reserveMs = 10_000

const answerMs = 5_000

/**
 * Creates the handler of a preparation over given ports. A deployment receives an answer; for any other caller errors
 * are thrown.
 */
export function createPreparation<const P extends Preparation>(
  ports: PortsOf<P['needs']>,
  work: PreparationWork<P>,
  tools: WorkerDeps,
): PreparationHandler {
  const prepare = async (limitMs: number): Promise<Prepared> => {
    const notes = await withDeadline(work(ports, tools), limitMs)
    if (notes === late) throw new Error('the time of the function ran out')
    for (const note of notes) tools.log.warn(note)
    return { notes }
  }
  const prepareAgain = async (limitMs: number): Promise<Prepared> => {
    try {
      return await prepare(limitMs)
    } catch (error) {
      tools.log.error(cdrMetrics.unprepared.message, error)
      throw error
    }
  }
  return async (event, context) => {
    const limitMs = context.getRemainingTimeInMillis() - reserveMs
    const { data: request } = deploymentRequest.safeParse(event)
    if (request === undefined) return prepareAgain(limitMs)
    // The prepared store holds data, which stays when the deployment is deleted.
    if (request.RequestType === 'Delete') return answered(request, undefined)
    try {
      const prepared = await prepare(limitMs)
      await answered(request, undefined)
      return prepared
    } catch (error) {
      tools.log.error(cdrMetrics.unprepared.message, error)
      // A store that was prepared once serves as it is. Were this a failure, no release could be deployed while a store
      // is away, and no failed one taken back.
      const isFirst = request.RequestType === 'Create'
      return answered(request, isFirst ? (error instanceof Error ? error.message : String(error)) : undefined)
    }
  }
}

/**
 * Returns the handler of a preparation over cloud adapters, created from the process's environment at the first call
 * and kept.
 */
export function preparation<const P extends Preparation>(
  record: P,
  adapters: PreparationAdaptersOf<P>,
  work: PreparationWork<P>,
): CloudPreparation<P> {
  let handler: PreparationHandler | undefined
  const make = () => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    return createPreparation<P>(Object.fromEntries(made) as PortsOf<P['needs']>, work, cloudTools(context, record.name))
  }
  return Object.assign(
    async (event: unknown, context: Parameters<PreparationHandler>[1]) => (handler ??= make())(event, context),
    {
      record,
      over: (ports: PortsOf<P['needs']>, tools: WorkerDeps) => createPreparation<P>(ports, work, tools),
    },
  )
}

/** Reports the result to the deployment, which otherwise waits until its own limit. */
async function answered(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: z.infer<typeof deploymentRequest>,
  failure: string | undefined,
): Promise<Prepared> {
  const body = JSON.stringify({
    Status: failure === undefined ? 'SUCCESS' : 'FAILED',
    Reason: failure ?? 'prepared',
    // Always the same: another id would request the removal of the old resource.
    PhysicalResourceId: LogicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  })
  // The address is signed without a content type, so the request must not have one.
  const request = { method: 'PUT', body: Buffer.from(body), signal: AbortSignal.timeout(answerMs) }
  const { status } = await fetch(ResponseURL, request)
  if (status >= 300) throw new Error(`the result could not be sent to the deployment: its address answered ${status}`)
  return { notes: [] }
}
