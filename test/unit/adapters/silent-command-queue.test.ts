import { expect, test } from 'vitest'
import { ServiceRefusal } from '../../../adapters/aws/call-service.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { queuedCallEngine } from '../../../adapters/sqs/queued-call-engine.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
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
