import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { queuedCallEngine } from '../../../adapters/sqs/queued-call-engine.ts'
import type { CommandRecord, EngineCommand } from '../../../core/commands/commands.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryCommandStore } from '../../support/memory/memory-command-store.ts'
import { memoryState } from '../../support/memory/memory-state.ts'

const by = { domain: 'a.example.com', presenceId: null }

async function lifetimeOf(command: EngineCommand): Promise<number> {
  const { clock } = manualTime(0)
  const queued: CommandRecord[] = []
  const engine = queuedCallEngine({
    commands: memoryCommandStore({ clock, random: systemRandomness, state: memoryState() }),
    enqueue: async (record) => void queued.push(record),
    clock,
    random: systemRandomness,
    sleep: async () => undefined,
  })
  await engine.send(command, by)
  return queued[0]?.deadlineAt ?? 0
}

test.each([
  { kind: 'flush-account', login: '1000' },
  { kind: 'flush-directory' },
  { kind: 'drop-registrations', login: '1000' },
] as const)(
  '$kind is sent however long the queue held it, since an engine keeps what is not flushed',
  async (command) => {
    expect(await lifetimeOf(command)).toBe(24 * 3_600_000)
  },
)

test("an order to drop a whole domain's registrations expires early, since the name may have another owner later", async () => {
  expect(await lifetimeOf({ kind: 'drop-domain-registrations' })).toBe(60_000)
})
