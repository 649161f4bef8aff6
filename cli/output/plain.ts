/**
 * Characters that would act on a terminal instead of being shown: control characters, and those that change the direction of writing. Names
 * of callers and reasons of receivers come from strangers.
 */
const acting = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns a value on one line, with each acting character as an escape that is shown. */
export function plain(value: string): string {
  return value.replace(acting, (character) => {
    const code = character.codePointAt(0) ?? 0
    return character === '\n' ? '\\n' : `\\u{${code.toString(16)}}`
  })
}
