import { RE2JS } from 're2js'
import { linearPattern, modeOf } from './linear-pattern.ts'

/** The most compiled patterns of routes that are kept; beyond it all of them are compiled anew. */
const maxKept = 2_000

const kept = new Map<string, RE2JS | undefined>()

/**
 * Returns the groups of a pattern that matches the whole text, the text itself first; a group that took no part is empty.
 * `undefined` when it does not match, or does not compile. Takes time linear in the text.
 */
export function linearCaptures(pattern: string, flags: string, text: string): readonly string[] | undefined {
  const matcher = compiled(pattern, flags)?.matcher(text)
  if (matcher === undefined || !matcher.matches()) return undefined
  return Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? '')
}

/** Returns whether a pattern is found in a text, in linear time; `false` for one that does not compile. */
export function linearlyFinds(pattern: string, flags: string, text: string): boolean {
  return linearPattern(pattern, flags, 'callflows')?.matches(text) ?? false
}

function compiled(pattern: string, flags: string): RE2JS | undefined {
  const key = `${flags}/${pattern}`
  if (kept.has(key)) return kept.get(key)
  if (kept.size >= maxKept) kept.clear()
  const made = compile(pattern, flags)
  kept.set(key, made)
  return made
}

function compile(pattern: string, flags: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, modeOf(flags))
  } catch {
    return undefined
  }
}
