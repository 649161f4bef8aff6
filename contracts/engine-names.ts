import list from './engine-variables.json' with { type: 'json' }

const names = [...list.variables, ...list.parameters].map((name) => name.toLowerCase())
const whole: ReadonlySet<string> = new Set(names)

/** A name such as `sip_h_` stands for a family; the engine reads every name that begins with it. */
const families = names.filter((name) => /[_-]$/.test(name))

/**
 * Returns whether the engine is known to read a channel variable or directory parameter of this name
 * (engine-variables.json). The engine compares names without regard to case.
 */
export function isEngineName(name: string): boolean {
  const lower = name.toLowerCase()
  return whole.has(lower) || families.some((family) => lower.startsWith(family))
}
