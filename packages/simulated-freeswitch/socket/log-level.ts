const levels = ['console', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']

/** The engine's value for "no such level"; a larger number counts as one less than this. */
const invalid = 64

/**
 * Returns the number of a log level given by name or number, or nothing when the word is neither. No word means debug.
 */
export function logLevelOf(word: string): number | undefined {
  if (word === '') return levels.indexOf('debug')
  if (/^\d+$/.test(word)) return Math.min(Number(word), invalid - 1)
  const level = levels.indexOf(word.toLowerCase())
  return level < 0 ? undefined : level
}
