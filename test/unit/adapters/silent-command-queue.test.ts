import { expect, test } from 'vitest'
import { ServiceRefusal } from '../../../adapters/aws/call-service.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { queuedCallEngine } from '../../../adapters/sqs/queued-call-engine.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import { DomainError } from '../../../core/errors.ts'
import { memoryCommandStore } from '../../support/memory/memory-command-store.ts'
import { memoryState } from '../../support/memory/memory-state.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const by = { domain: 'a.example.com', presenceId: null }
const done: CommandOutcome = { state: 'done', text: '+OK' }

/** Runs a command whose queue fails with `cause`, and which a connector takes a moment later all the same. */
async function runWith(cause: Error | undefined): Promise<CommandOutcome | undefined> {
  const clock = movableClock()
  const commands = memoryCommandStore({ clock, random: systemRandomness, state: memoryState() })
  let queued = ''
  const engine = queuedCallEngine({
    commands,
    enqueue: async ({ id }) => {
      queued = id
      throw new DomainError('store_unavailable', 'the queue does not answer', cause === undefined ? {} : { cause })
    },
    clock,
    random: systemRandomness,
    sleep: async (ms) => {
      // The end of the whole wait does not come.
      if (ms > 1_000) return new Promise(() => {})
      clock.move(ms)
      if (await commands.claim(queued, 'connector-1')) await commands.complete(queued, done)
      return undefined
    },
  })
  return engine.run({ kind: 'list-channels' }, by, 5_000)
}

test('a command whose queue gave no answer is awaited, since it may have arrived', async () => {
  expect(await runWith(undefined)).toEqual(done)
})

test('a command that its queue refused is withdrawn, and fails at once', async () => {
  const answered = { name: 'QueueDoesNotExist', message: 'no such queue', $metadata: { httpStatusCode: 400 } }

  await expect(runWith(new ServiceRefusal(answered))).rejects.toThrow('does not answer')
})

/** Sends a call for which nobody waits over a queue that fails with `cause`, `before` which something happens. */
async function sendWith(cause: Error | undefined, before?: (commands: CommandStore, id: string) => Promise<unknown>) {
  const clock = movableClock()
  const commands = memoryCommandStore({ clock, random: systemRandomness, state: memoryState() })
  let queued = ''
  const engine = queuedCallEngine({
    commands,
    enqueue: async ({ id }) => {
      queued = id
      await before?.(commands, id)
      throw new DomainError('store_unavailable', 'the queue does not answer', cause === undefined ? {} : { cause })
    },
    clock,
    random: systemRandomness,
    sleep: async () => undefined,
  })
  const [autoAnswer, variables] = [undefined, {}]
  const call = { kind: 'originate', uuid: 'u', calledId: '1', callerId: '1000', timeoutSeconds: 60 } as const
  const sent = engine.send({ ...call, autoAnswer, variables }, by)
  return { sent, canBeTaken: () => commands.claim(queued, 'connector-1') }
}

const refusal = () =>
  new ServiceRefusal({ name: 'QueueDoesNotExist', message: 'no such queue', $metadata: { httpStatusCode: 400 } })

test('a call for which nobody waits counts as queued when its queue gave no answer, so that nobody dials twice', async () => {
  const { sent, canBeTaken } = await sendWith(undefined)

  await expect(sent).resolves.toBeUndefined()
  expect(await canBeTaken()).toBe(true)
})

test('a call for which nobody waits fails when its queue refused it, and is never placed', async () => {
  const { sent, canBeTaken } = await sendWith(refusal())

  await expect(sent).rejects.toThrow('does not answer')
  expect(await canBeTaken()).toBe(false)
})

test('a call that a connector has taken counts as queued, even if a later try was refused', async () => {
  const { sent } = await sendWith(refusal(), (commands, id) => commands.claim(id, 'connector-1'))

  await expect(sent).resolves.toBeUndefined()
})
