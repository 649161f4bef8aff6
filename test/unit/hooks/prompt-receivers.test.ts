import { expect, it } from 'vitest'
import { PromptReceivers } from '../../../core/hooks/attempt/prompt-receivers.ts'
import { aHook } from '../../support/records/records.ts'

it('a process remembers the speed of a thousand receivers and forgets the least recently seen one', () => {
  const receivers = new PromptReceivers()
  const hooks = Array.from({ length: 1_001 }, (_, index) => aHook({ id: `${index}`, promptAt: 1 }))
  const mayBeSent = (index: number) => receivers.includes(hooks[index] ?? expect.fail(), 1, 10)
  for (const hook of hooks.slice(0, 1_000)) receivers.note(hook, 600, 10)
  expect([mayBeSent(0), mayBeSent(999)]).toEqual([false, false])

  receivers.note(hooks[1_000] ?? expect.fail(), 600, 10)

  expect([mayBeSent(0), mayBeSent(1), mayBeSent(1_000)]).toEqual([true, false, false])
})
