import type { CommandOutcome } from '../../core/commands/commands.ts'

/**
 * Returns the one outcome of a command that was sent to several engines. It is done if all have done it. Otherwise the
 * worst outcome counts: unknown, then not sent (which may be repeated), then refused, then absent.
 */
export function outcomeOfAll(outcomes: readonly CommandOutcome[]): CommandOutcome {
  for (const state of ['unknown', 'unsent', 'refused', 'absent'] as const) {
    const worst = outcomes.find((outcome) => outcome.state === state)
    if (worst !== undefined) return worst
  }
  const [first = { state: 'unsent', reason: 'disconnected' }, ...others] = outcomes
  if (first.state !== 'done' || others.length === 0) return first
  const texts = outcomes.map((outcome) => (outcome.state === 'done' ? outcome.text : ''))
  return { ...first, text: [...new Set(texts)].join('') }
}
