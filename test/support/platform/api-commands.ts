/** Every kind of command as a caller requests it, and the answers that may follow its effects. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { CommandOutcome, EngineCommand } from '../../../core/commands/commands.ts'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as hangUpChannel } from '../../../functions/channels/hang-up-channel.ts'
import { handler as holdChannel } from '../../../functions/channels/hold-channel.ts'
import { handler as listChannels } from '../../../functions/channels/list-channels.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import type { ApiAnswer } from './api.ts'
import type { CommandPath } from '../connector/command-path.ts'

const domain = 'a.example.com'

/** A deleted account, which has no call: a drop would end it, also when the engine is back much later. */
const deleted = '1009'

/** An answer to a caller: the API's, or that of the part that runs a command which is not the API's own. */
export type CallerAnswer = ApiAnswer | { readonly outcome: CommandOutcome | undefined }

/** One kind of command. */
export interface CommandKind {
  readonly kind: EngineCommand['kind']
  /** Sends it for a channel of the caller's domain, `a.example.com` where none is named. */
  readonly send: (path: CommandPath, channel: string, asDomain?: string) => Promise<CallerAnswer>
}

/** Every kind. */
export const commandKinds: readonly CommandKind[] = [
  ofApi('originate', ({ api }, { headers }) => api.call(originateCall, { headers, body: { calledId: '9196' } })),
  ofApi('eavesdrop', ({ api }, given) => api.call(eavesdropChannel, { ...given, body: {} })),
  ofApi('hold', ({ api }, given) => api.call(holdChannel, { ...given, body: { state: 'hold' } })),
  ofApi('unhold', ({ api }, given) => api.call(holdChannel, { ...given, body: { state: 'unhold' } })),
  ofApi('hangup', ({ api }, given) => api.call(hangUpChannel, given)),
  ofApi('list-channels', ({ api }, { headers }) => api.call(listChannels, { headers })),
  ofPlatform({ kind: 'hang-up-domain' }),
  ofPlatform({ kind: 'flush-account', login: '1000' }),
  ofPlatform({ kind: 'flush-directory' }),
  ofPlatform({ kind: 'drop-registrations', login: deleted }),
  ofPlatform({ kind: 'drop-domain-registrations' }),
]

/** A channel of the domain at the engine; one on hold for a command that ends that. */
export function aChannelFor(path: CommandPath, kind: EngineCommand['kind'], uuid = randomUUID()): string {
  path.engine.channels.set(uuid, { domain, presenceId: `1000@${domain}`, isHeld: kind === 'unhold' })
  return uuid
}

/** Checks that a caller got a true answer, in the contract's words, about a command that was done so often. */
export function expectTruth(answer: CallerAnswer, effects: number): void {
  if ('outcome' in answer) return
  const { status, body } = answer
  const isPending = status === 200 && body.pending === true
  const truths: Readonly<Record<number, readonly number[]>> = {
    200: isPending ? [0, 1] : [1],
    404: [0],
    400: [0],
    429: [0],
    503: [0],
    504: [0, 1],
  }
  expect(truths[status], `${status} ${JSON.stringify(body)} is the answer to what was done ${effects} times`).toContain(
    effects,
  )
  if (status === 504) expect(['outcome_unknown', 'engine_timeout']).toContain(body.code)
  if (status === 503) expect(body.code).toBe('engine_unavailable')
  if (status === 503 || status === 429) expect(Number(answer.headers['Retry-After'])).toBeGreaterThan(0)
}

/** How often a command was done. Of reading there is no effect that could be doubled. */
export function effectsOf(path: CommandPath, kind: EngineCommand['kind'], id: string, channel: string): number {
  if (kind === 'hang-up-domain') return path.engine.timesDone(`uuid_kill ${channel}`)
  if (kind === 'drop-registrations')
    return path.engine.timesDone(`sofia profile internal flush_inbound_reg ${deleted}@${domain}`)
  if (kind === 'drop-domain-registrations')
    return path.engine.timesDone(`sofia profile internal flush_inbound_reg @${domain}`)
  if (kind === 'list-channels') return path.outcome(id)?.state === 'done' ? 1 : 0
  return path.engine.effectsOf(id)
}

function ofApi(
  kind: EngineCommand['kind'],
  call: (
    path: CommandPath,
    given: { headers: Readonly<Record<string, string>>; params: Readonly<Record<string, string>> },
  ) => Promise<ApiAnswer>,
): CommandKind {
  return {
    kind,
    send: async (path, channel, asDomain = domain) => {
      const account = await path.api.ports.accounts.read(asDomain, '1000')
      if (account === undefined) throw new Error('the account of the test is gone')
      const headers = { ...(await path.api.as(account)) }
      return call(path, { headers, params: { channel_id: channel } })
    },
  }
}

function ofPlatform(command: EngineCommand): CommandKind {
  return {
    kind: command.kind,
    send: async ({ calls }, _channel, asDomain = domain) => ({
      outcome: await calls.run(command, { domain: asDomain, presenceId: null }, 20_000),
    }),
  }
}
