/**
 * Returns a value that all modules of one process share under a name. In the cloud a process has one function; on a laptop
 * many functions share one, and each has its own copy of this module. Only for values that never change and whose names
 * cannot be guessed.
 */
export function processWide<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`callplane ${name}`)
  const known: unknown = Reflect.get(globalThis, key)
  // The value under the symbol was created by this line, of this or another copy.
  if (known !== undefined) return known as T
  const made = make()
  Reflect.set(globalThis, key, made)
  return made
}
