import { isObject, listOf, parseJson } from './json.ts'

/** Top-level fields that searches leave out: kept apart, so that a hit's text needs no reading. */
export const hiddenNames = ['any', 'pairs', 'kept']

/**
 * The JSON of a document, of a row with its `source` and `hidden`: without the fields that `asked` (`_source` of a
 * search) excludes. Only whole fields can be excluded.
 */
export function sourceText(row: Readonly<Record<string, unknown>>, asked: unknown): string {
  const excluded = isObject(asked) ? listOf(asked['excludes']).map(String) : []
  const source = String(row['source'])
  if (hiddenNames.every((name) => excluded.includes(name)) && excluded.length === hiddenNames.length) return source
  const whole = { ...asRecord(parseJson(source)), ...asRecord(parseJson(String(row['hidden']))) }
  return JSON.stringify(Object.fromEntries(Object.entries(whole).filter(([name]) => !excluded.includes(name))))
}

function asRecord(value: unknown): object {
  return isObject(value) ? value : {}
}
