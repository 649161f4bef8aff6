import { DomainError } from '../errors.ts'

type FieldText = readonly [field: string, text: string | undefined]

const reloads = /reload|unload/i
const module = /mod_event_socket/i
const problem = 'must not hold "mod_event_socket" in a request that holds "reload" or "unload" as well'

/**
 * Refuses texts that would make the engine reload its event socket and disconnect all its clients: any line does that
 * has both words in it, at any position. `domain` is part of the line too. Throws `invalid_field` that names each field
 * with the module in it.
 */
export function refuseReload(domain: string | null, texts: readonly FieldText[]): void {
  if (!reloads.test([domain ?? '', ...texts.map(([, text]) => text ?? '')].join(' '))) return
  const fields = texts.filter(([, text = '']) => module.test(text)).map(([field]) => field)
  const [first] = fields
  if (first === undefined) return
  throw new DomainError('invalid_field', `${first}: ${problem}`, {
    details: fields.map((field) => ({ field, problem })),
  })
}

/** Returns the names and values of a call's variables, by their fields. */
export function variableTexts(variables: Readonly<Record<string, string>>): FieldText[] {
  return Object.entries(variables).map(([name, value]) => [`variables.${name}`, `${name} ${value}`])
}
