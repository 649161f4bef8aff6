import type { CommandOutcome } from '../../core/commands/commands.ts'

/**
 * The one outcome of a command that went to several engines: it is done when all have done it. What is not known at one
 * of them is not known; what did not reach one of them was not done, and may be given again; then a refusal counts.
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
