import type { PlatformEvent } from '../../events/platform-event.ts'
import type { Hook } from '../definition/hook.ts'
import { type PatternWork, type Rest, limitedPatterns, matches, patternWork } from '../matching/matching.ts'
import type { PatternCompiler } from '../../requests/pattern.ts'

/** The tools of {@link judge}. */
export interface JudgeDeps {
  readonly compile: PatternCompiler
  readonly rest: Rest
}

/** An event and the hooks that it is for. */
export interface Judged {
  readonly event: PlatformEvent
  readonly fires: readonly Hook[]
  readonly unjudged: readonly Hook[]
}

/** Judges the hooks for an event one after another, and leaves the process to others now and then. */
export async function judge(
  { compile, rest }: JudgeDeps,
  hooks: readonly Hook[],
  event: PlatformEvent,
): Promise<Omit<Judged, 'event'>> {
  const work = limitedPatterns(compile, rest, patternWork.event)
  const judged = { fires: [] as Hook[], refused: [] as Hook[], unjudged: [] as Hook[] }
  for (const hook of hooks) judged[await judgeHook(hook, event, work)].push(hook)
  return judged
}

/** Returns whether a hook fires; `unjudged` if the patterns had used up their work before its filters had decided. */
async function judgeHook(
  hook: Hook,
  event: PlatformEvent,
  work: PatternWork,
): Promise<'fires' | 'refused' | 'unjudged'> {
  try {
    return (await matches(hook, event, work)) ? 'fires' : 'refused'
  } catch (error) {
    if (work.isSpent()) return 'unjudged'
    throw error
  }
}
