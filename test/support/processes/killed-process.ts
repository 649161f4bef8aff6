/** The objects through which a process reaches the world, by name. */
type Harness = Readonly<Record<string, object>>

/**
 * The same world, of which each method is called through `through`, which lets nothing more of a killed process happen.
 */
export function whileAlive<W extends object>(harness: W, through: <T>(work: () => Promise<T>) => Promise<T>): W {
  const parts = Object.entries(harness as Harness).map(([name, part]) => [name, guarded(part, through)])
  return Object.fromEntries(parts) as W
}

function guarded(part: object, through: <T>(work: () => Promise<T>) => Promise<T>): object {
  const members = Object.entries(part).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function'
      ? (...given: unknown[]) => through(async () => Reflect.apply(member, part, given) as unknown)
      : member,
  ])
  return Object.fromEntries(members)
}
