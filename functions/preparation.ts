import type { Context } from 'aws-lambda'
import * as z from 'zod/mini'
import type { Preparation } from '../contracts/preparations.ts'
import type { PortName, PortsOf } from '../core/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { late, withDeadline } from './endpoint/deadline.ts'
import type { WorkerTools } from './worker.ts'

/** The cloud adapter of each port that a preparation needs: exactly those. */
export type PreparationAdaptersOf<P extends Preparation> = {
  readonly [N in keyof P['needs'] & PortName]: MakePort<N>
}

/** Makes the store ready. Answers what a person should know of it, in sentences; what it throws fails the deployment. */
export type PreparationWork<P extends Preparation> = (
  ports: PortsOf<P['needs']>,
  tools: WorkerTools,
) => Promise<readonly string[]>

/** What a preparation answers to whoever called it directly. */
export interface Prepared {
  readonly notes: readonly string[]
}

/** Is called by a deployment with a request of its own, and by a laptop with `{}`. */
export type PreparationHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<Prepared>

/** A preparation's handler over cloud adapters, and the same over any other. */
export interface CloudPreparation<P extends Preparation> extends PreparationHandler {
  readonly record: P
  readonly over: (ports: PortsOf<P['needs']>, tools: WorkerTools) => PreparationHandler
}

/**
 * What CloudFormation sends for a custom resource, and waits for the answer to at the address in it:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref.html
 */
const deploymentRequest = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
})

/** Time that stays for the answer to the deployment. */
const reserveMs = 10_000

/** Time for the answer itself. */
const answerMs = 5_000

/** The handler of a preparation, over given ports. A deployment is answered; anybody else gets what is thrown. */
export function createPreparation<const P extends Preparation>(
  ports: PortsOf<P['needs']>,
  work: PreparationWork<P>,
  tools: WorkerTools,
): PreparationHandler {
  const prepare = async (limitMs: number): Promise<Prepared> => {
    const notes = await withDeadline(work(ports, tools), limitMs)
    if (notes === late) throw new Error('the time of the function ran out')
    for (const note of notes) tools.log.warn(note)
    return { notes }
  }
  return async (event, context) => {
    const limitMs = context.getRemainingTimeInMillis() - reserveMs
    const { data: request } = deploymentRequest.safeParse(event)
    if (request === undefined) return prepare(limitMs)
    // What was made ready holds data; it stays when the deployment goes.
    if (request.RequestType === 'Delete') return answered(request, undefined)
    try {
      const prepared = await prepare(limitMs)
      await answered(request, undefined)
      return prepared
    } catch (error) {
      tools.log.error('preparation failed', error)
      return answered(request, error instanceof Error ? error.message : String(error))
    }
  }
}

/** The handler of a preparation over cloud adapters, made from the process's environment at the first call and kept. */
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
      over: (ports: PortsOf<P['needs']>, tools: WorkerTools) => createPreparation<P>(ports, work, tools),
    },
  )
}

/** Tells the deployment how it went. One that is not told waits until its own limit. */
async function answered(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: z.infer<typeof deploymentRequest>,
  failure: string | undefined,
): Promise<Prepared> {
  const body = JSON.stringify({
    Status: failure === undefined ? 'SUCCESS' : 'FAILED',
    Reason: failure ?? 'prepared',
    // Always the same: a changed one would ask for the removal of the old.
    PhysicalResourceId: LogicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  })
  // The address is signed for no type of content, and bytes are sent without one.
  const request = { method: 'PUT', body: Buffer.from(body), signal: AbortSignal.timeout(answerMs) }
  const { status } = await fetch(ResponseURL, request)
  if (status >= 300) throw new Error(`the deployment could not be told: its address answered ${status}`)
  return { notes: [] }
}
