/** The data of a call by name, as the engine names its variables. */
export type CallVariables = ReadonlyMap<string, string>

/**
 * Returns a variable, or a part of it: `name:offset:length`, where a negative offset counts from the end. `undefined`
 * for one that the call does not have.
 */
export function variableOf(variables: CallVariables, lookUp: string): string | undefined {
  const whole = variables.get(lookUp)
  if (whole !== undefined) return whole
  const [, name = '', offset = '0', length] = /^([^:]+):(-?\d{1,4})(?::(-?\d{1,4}))?$/.exec(lookUp) ?? []
  const value = variables.get(name)
  if (value === undefined) return undefined
  const rest = value.slice(Number(offset))
  return length === undefined || Number(length) <= 0 ? rest : rest.slice(0, Number(length))
}

const safe = /^[A-Za-z0-9+*#._-]{0,64}$/

const lookUps = /\$([0-9])|\$\{((?:destination_number|caller_id_number)(?::-?\d{1,4}){0,2})\}/g

/**
 * Replaces captures and numbers of the call in a name. Returns `undefined` when a value has other characters than
 * `A-Z a-z 0-9 + * # . _ -`: callers choose them.
 */
export function filled(text: string, variables: CallVariables, captures: readonly string[]): string | undefined {
  let isSafe = true
  const result = text.replaceAll(lookUps, (_whole, capture: string | undefined, name: string | undefined) => {
    const value = capture === undefined ? variableOf(variables, name ?? '') : captures[Number(capture)]
    if (value !== undefined && safe.test(value)) return value
    isSafe &&= value === undefined
    return ''
  })
  return isSafe ? result : undefined
}
