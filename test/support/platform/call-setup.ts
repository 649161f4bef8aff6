/**
 * Everything that an order to the engine goes through, over memory: fields as callers send them, accounts, an engine.
 */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import * as routes from '../../../contracts/routes/channels.ts'
import type { AccessScope } from '../../../core/access/acl.ts'
import { eavesdropChannel } from '../../../core/channels/eavesdrop-channel.ts'
import type { EngineReply } from '../../../core/channels/engine-reply.ts'
import { hangUpChannel } from '../../../core/channels/hang-up-channel.ts'
import { holdChannel } from '../../../core/channels/hold-channel.ts'
import { originateCall } from '../../../core/channels/originate-call.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import type { Caller } from '../../../core/access/token.ts'
import { checkFields } from '../../../functions/endpoint/steps/field-validation.ts'
import { aCaller } from './caller.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { aDomain, anAccount } from '../records/records.ts'

/** A live channel. */
export const aChannel = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
/** The uuid that the service chooses for the next leg. */
export const chosenUuid = '0b7a1c1e-0000-4000-8000-000000000001'

/** The values that the service chooses for the next order. */
const chosen = { uuid: chosenUuid, commandId: '0b7a1c1e-0000-4000-8000-000000000002' }

/** Who asks: an admin of a.example.com unless a test says otherwise. */
export interface CallSetup {
  readonly caller?: Caller
  readonly domain?: string
  readonly scope?: AccessScope
  /** The engine's answer; `undefined` is no answer in time. */
  readonly outcome?: CommandOutcome | undefined
}

/** The four orders, each from the raw fields of a request, with accounts 1000 and 1001 in the domain. */
export async function aCallSetup(given: CallSetup = {}) {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const domain = given.domain ?? 'a.example.com'
  await ports.domains.create(aDomain({ name: domain }))
  for (const login of ['1000', '1001']) await ports.accounts.create(anAccount({ domain, login }), 100)
  if ('outcome' in given) ports.engine.answer = () => given.outcome
  const orderer = { caller: given.caller ?? aCaller(), domain, scope: given.scope ?? 'all' }
  return {
    ports,
    clock,
    commands: () => ports.engine.given,
    originate: async (body: unknown): Promise<EngineReply> =>
      originateCall(ports, orderer, checkFields(routes.originateCall.body, body), {
        ...chosen,
        clock,
        clientVariables: new Map(),
      }),
    hold: async (channel: unknown, state: unknown): Promise<EngineReply> => {
      const { channel_id } = checkFields(routes.holdChannel.params, { channel_id: channel })
      return holdChannel(ports.engine, orderer, channel_id, checkFields(routes.holdChannel.body, { state }).state)
    },
    hangUp: async (channel: unknown, cause?: unknown): Promise<EngineReply> => {
      const { channel_id } = checkFields(routes.hangUpChannel.params, { channel_id: channel })
      const query = checkFields(routes.hangUpChannel.query, cause === undefined ? {} : { cause })
      return hangUpChannel(ports.engine, orderer, channel_id, query.cause)
    },
    eavesdrop: async (channel: unknown, body: unknown = {}, query: unknown = {}): Promise<EngineReply> => {
      const { channel_id } = checkFields(routes.eavesdropChannel.params, { channel_id: channel })
      const { side } = checkFields(routes.eavesdropChannel.query, query)
      const fields = checkFields(routes.eavesdropChannel.body, body)
      const wanted = { ...fields, target: channel_id, side }
      return eavesdropChannel(ports, orderer, wanted, { ...chosen, clock, clientVariables: new Map() })
    },
  }
}
