import * as z from 'zod/mini'
import type { EslDownReason } from '@callplane/esl'
import { PlainError } from '@callplane/laptop'

/** The connector's report about one engine. */
export interface EngineState {
  readonly name: string
  readonly online: boolean
  /** The problem in a few words; absent while there is none, and before anything is known. */
  readonly problem?: string | undefined
  readonly reason: string | undefined
}

const link = z.object({ reason: z.optional(z.string()) })

const health = z.object({
  engines: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['OK', 'error']),
      problem: z.optional(z.string()),
      commands: link,
      events: link,
    }),
  ),
})

/** Reads the state of every engine from the connector's own health endpoint; `undefined` while it does not answer. */
export async function readEngines(healthUrl: string): Promise<readonly EngineState[] | undefined> {
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(5000) })
    return z.parse(health, await response.json()).engines.map(({ name, status, problem, commands, events }) => ({
      name,
      online: status === 'OK',
      problem,
      reason: commands.reason ?? events.reason,
    }))
  } catch {
    return undefined
  }
}

const refusals: Readonly<Partial<Record<EslDownReason, string>>> = {
  'auth-refused': 'refuses the password of ENGINE_URL',
  'access-rejected': 'does not let this machine in: see apply-inbound-acl in its event_socket.conf.xml',
  'not-an-engine': 'does not speak as an event socket does: is the port right?',
}

/** Throws a plain sentence for the first engine that refuses this platform. */
export function refuseMisconfigured(engines: readonly EngineState[]): void {
  for (const { name, online, reason } of engines) {
    const refusal = Object.entries(refusals).find(([candidate]) => candidate === reason)
    if (!online && refusal !== undefined) throw new PlainError(`the engine at ${name} ${refusal[1]}`)
  }
}
