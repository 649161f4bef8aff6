import { type DomainError, invalidField } from '../errors.ts'

/** The control characters of ASCII: U+0000 to U+001F, and U+007F. */
const controls = /[\p{ASCII}&&\p{Cc}]+/gv

/** Returns whether a text holds a control character of ASCII: a tab, a line feed, an escape. */
export function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

/** Returns a text with each run of control characters replaced. */
export function replaceControls(text: string, replacement: string): string {
  return text.replaceAll(controls, replacement)
}

/**
 * Returns whether a name can be a file or a folder, a part of a path, and a word of a command line. `.` and `..` lead
 * elsewhere, and one that begins with `-` is an option.
 */
export function isSafeName(name: string): boolean {
  return !/^(?:\.{1,2}$|-)/.test(name)
}

/** Returns the refusal of a new name that is not safe. */
export function unsafeName(field: string): DomainError {
  return invalidField(field, 'must not be "." or "..", nor begin with "-": begin it with a letter or a digit')
}
