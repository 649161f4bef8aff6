import { expect, test } from 'vitest'
import { outcomeOfAll } from '../../../connector/commands/engine-reply.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'

const done: CommandOutcome = { state: 'done', text: '+OK\n' }
const refused: CommandOutcome = { state: 'refused', text: '-ERR\n' }
const unsent: CommandOutcome = { state: 'unsent', reason: 'disconnected' }
const unknown: CommandOutcome = { state: 'unknown', reason: 'timeout' }

test.each([
  ['one that did it', [done], done],
  ['all that did it in the same words', [done, done], done],
  ['one that refuses', [done, refused], refused],
  ['one that was away', [done, unsent, refused], unsent],
  ['one that did not answer', [unsent, unknown, done], unknown],
  ['none at all', [], unsent],
] as const)('the outcome of %s is that of all', (_who, outcomes, expected) => {
  expect(outcomeOfAll(outcomes)).toEqual(expected)
})

test('different answers of several engines are joined, each answer once', () => {
  const cleared: CommandOutcome = { state: 'done', text: '+OK cleared 1 entry\n' }

  expect(outcomeOfAll([cleared, done, cleared])).toEqual({ state: 'done', text: '+OK cleared 1 entry\n+OK\n' })
})
