import { isObject, listOf, parseJson } from './json.ts'

/** Top-level fields that searches leave out: kept apart, so that a hit's text needs no reading. */
export const hiddenNames = ['any', 'pairs', 'kept']

/**
 * Returns the JSON of a document, from a row with its `source` and `hidden`: the parts that `asked` (`_source` of a
 * search) includes and does not exclude. Only whole fields can be named.
 */
export function sourceText(row: Readonly<Record<string, unknown>>, asked: unknown): string {
  const excluded = isObject(asked) ? listOf(asked['excludes']).map(String) : []
  const included =
    isObject(asked) && asked['includes'] !== undefined ? listOf(asked['includes']).map(String) : undefined
  const source = String(row['source'])
  if (
    included === undefined &&
    hiddenNames.every((name) => excluded.includes(name)) &&
    excluded.length === hiddenNames.length
  )
    return source
  const whole = { ...asRecord(parseJson(source)), ...asRecord(parseJson(String(row['hidden']))) }
  const isMeant = (name: string): boolean => !excluded.includes(name) && included?.includes(name) !== false
  return JSON.stringify(Object.fromEntries(Object.entries(whole).filter(([name]) => isMeant(name))))
}

function asRecord(value: unknown): object {
  return isObject(value) ? value : {}
}
