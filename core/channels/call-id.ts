const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Returns the id by which the platform knows a channel of the engine. The engine takes any text for one: a UUID is the
 * same in either case, any other id is itself.
 */
export function callIdOf(spelled: string): string {
  return uuid.test(spelled) ? spelled.toLowerCase() : spelled
}
