import { randomUUID } from 'node:crypto'
import type { CommandMessage } from '../../../contracts/messages/command.ts'
import type { EngineCommand } from '../../../core/commands/commands.ts'

/** A moment that nothing depends on: the start of a `manualTime`. */
const T0 = Date.UTC(2026, 0, 15, 12)

/** A message of the command queue: a hang-up in `a.example.com` with 30 s to go, unless a test says otherwise. */
export function aCommandMessage(given: Partial<CommandMessage> = {}): CommandMessage {
  return {
    version: 1,
    id: randomUUID(),
    scope: { domain: 'a.example.com', presenceId: null },
    command: { kind: 'hangup', uuid: randomUUID(), cause: 'NORMAL_CLEARING' },
    deadlineAt: T0 + 30_000,
    createdAt: T0,
    requestId: 'request-1',
    ...given,
  }
}

/** A call from 1000 to 9196 that rings for 60 s. */
export function anOriginate(
  given: Partial<Extract<EngineCommand, { kind: 'originate' }>> = {},
): Extract<EngineCommand, { kind: 'originate' }> {
  return {
    kind: 'originate',
    uuid: randomUUID(),
    calledId: '9196',
    callerId: '1000',
    timeoutSeconds: 60,
    autoAnswer: undefined,
    variables: {},
    ...given,
  }
}

/** 1001 listens to a channel, silently and without keys. */
export function anEavesdrop(
  given: Partial<Extract<EngineCommand, { kind: 'eavesdrop' }>> = {},
): Extract<EngineCommand, { kind: 'eavesdrop' }> {
  return {
    kind: 'eavesdrop',
    uuid: randomUUID(),
    target: randomUUID(),
    user: '1001',
    display: undefined,
    mode: 'listen',
    dtmf: false,
    side: '1001',
    variables: {},
    ...given,
  }
}
