import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'

/** A hook as a caller writes it, with only what must be there and what a test names. */
export function aHookInput(given: Partial<HookInput> = {}): HookInput {
  return {
    event: 'CHANNEL_CREATE',
    action: { type: 'web', method: 'POST', url: 'https://receiver.example.com/hook' },
    ...given,
  }
}
