import * as z from 'zod/mini'
import type { EngineCommand } from '../../core/commands/commands.ts'
import {
  autoAnswer,
  channelId,
  dialTarget,
  displayDigits,
  domainName,
  gatewayName,
  hangupCause,
  login,
  requestId,
  uuid,
} from '../fields.ts'

const variables = z.record(z.string(), z.string())

/** An order to the engine, as the command queue carries it. Parsed again by the connector: it trusts no queue. */
export const engineCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('originate'),
    uuid,
    calledId: dialTarget,
    callerId: login,
    timeoutSeconds: z.int().check(z.minimum(5), z.maximum(120)),
    autoAnswer: z.optional(z.object({ name: z.string(), value: z.string() })),
    variables,
  }),
  z.object({ kind: z.literal('hold'), uuid: channelId }),
  z.object({ kind: z.literal('unhold'), uuid: channelId }),
  z.object({ kind: z.literal('hangup'), uuid: channelId, cause: hangupCause }),
  z.object({
    kind: z.literal('eavesdrop'),
    uuid,
    target: channelId,
    user: login,
    display: z.optional(displayDigits),
    mode: z.enum(['listen', 'whisper_a', 'whisper_b', 'barge']),
    dtmf: z.boolean(),
    side: z.union([displayDigits, login]),
    variables,
  }),
  z.object({ kind: z.literal('list-channels') }),
  z.object({ kind: z.literal('hang-up-domain') }),
  z.object({ kind: z.literal('flush-account'), login }),
  z.object({ kind: z.literal('flush-directory') }),
  z.object({ kind: z.literal('drop-registrations'), login }),
  z.object({ kind: z.literal('apply-gateway'), name: gatewayName }),
  z.object({ kind: z.literal('drop-domain-registrations') }),
  z.object({
    kind: z.literal('erase-messages'),
    login,
    callers: z.union([z.literal('all'), z.readonly(z.array(z.string()).check(z.minLength(1), z.maxLength(500)))]),
  }),
])

/** The latest version of the messages that this product reads. */
export const commandMessageVersion = 3

/**
 * Returns the version in which a command is written: the first that has it. A connector drops a command that it does
 * not know, and leaves a message of a later version to one that reads it. Version 2 added `apply-gateway`,
 * version 3 `erase-messages`.
 */
export function versionOfCommand({ kind }: Pick<EngineCommand, 'kind'>): 1 | 2 | 3 {
  if (kind === 'erase-messages') return 3
  return kind === 'apply-gateway' ? 2 : 1
}

/** A message of the command queue. */
export const commandMessage = z.object({
  version: z.literal([1, 2, commandMessageVersion]),
  id: z.uuid(),
  scope: z.object({ domain: z.nullable(domainName), presenceId: z.nullable(z.string()) }),
  command: engineCommand,
  deadlineAt: z.int(),
  createdAt: z.int(),
  requestId: z.optional(requestId),
})

/** See {@link commandMessage}. */
export type CommandMessage = z.infer<typeof commandMessage>

/** Checks that a name and value still satisfy the rules of the API. */
export const autoAnswerText = autoAnswer
