/**
 * What all copies of a module in one process share. In the cloud there is one copy; on a laptop every instance of a
 * function has its own, and would read again what the one beside it has read. Only for what never changes once it is
 * made and is found by a name that cannot be guessed.
 */
export function processWide<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`callplane ${name}`)
  const known: unknown = Reflect.get(globalThis, key)
  // What stands under the symbol was made by this very line, of this or another copy.
  if (known !== undefined) return known as T
  const made = make()
  Reflect.set(globalThis, key, made)
  return made
}
