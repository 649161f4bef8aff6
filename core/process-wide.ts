/**
 * A value that all modules of one process share under a name. In the cloud a process has one function; on a laptop many
 * functions share one, and each has its own copy of this module. Only for what never changes once it is made and is found
 * by a name that cannot be guessed.
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
