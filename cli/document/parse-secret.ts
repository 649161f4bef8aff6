import { isReference, kept } from './secrets.ts'
import type { Place } from './yaml-place.ts'

/** Refuses a secret that is written out. */
export function requireReference(place: Place, text: string): void {
  if (text === '' || text === kept || isReference(text)) return
  throw place.error(
    'is a secret and must not be in a document: name an environment variable, "${env:NAME}"' +
      ' (capital letters, digits and _), or write "********" to keep what is stored',
  )
}
