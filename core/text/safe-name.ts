import { type DomainError, invalidField } from '../errors.ts'

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
