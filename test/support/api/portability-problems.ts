/**
 * The rules that a published OpenAPI document keeps, so that generators make clients of it that compile and read every
 * answer.
 */

interface Json {
  readonly [name: string]: unknown
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns what would stop a generator, each with its place in the document. */
export function portabilityProblems(document: unknown): readonly string[] {
  const info = isJson(document) && isJson(document['info']) ? document['info'] : {}
  const license = isJson(info['license']) ? info['license'] : {}
  const isNamed = typeof license['name'] === 'string' && typeof (license['identifier'] ?? license['url']) === 'string'
  return [...(isNamed ? [] : ['info has no license with a name and an identifier']), ...problemsBelow(document, [])]
}

function problemsBelow(part: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((each, at) => problemsBelow(each, [...path, String(at)]))
  if (!isJson(part)) return []
  const own = problemsOf(part).map((problem) => `${path.join(' ')}: ${problem}`)
  const below = Object.entries(part).filter(([name]) => name !== 'example' && name !== 'examples')
  return own.concat(below.flatMap(([name, value]) => problemsBelow(value, [...path, name])))
}

function problemsOf(part: Json): readonly string[] {
  const { type, format, const: constant, content, prefixItems } = part
  const types = [type].flat().filter((each) => typeof each === 'string')
  const isNumber = types.includes('integer') || types.includes('number')
  const isName = constant === undefined || isJson(constant) || /^[A-Za-z_]\w*$/.test(textOf(constant))
  const media = isJson(content) ? Object.entries(content).filter(([name]) => name.includes('/')) : []
  return [
    ...(isNumber && typeof format !== 'string' ? ['a number has no format'] : []),
    ...(types.length > 0 && types.every((each) => each === 'null') ? ['null is the only type'] : []),
    ...(types.filter((each) => each !== 'null').length > 1 ? [`a choice of types: ${types.join(', ')}`] : []),
    ...(isName ? [] : [`the constant ${JSON.stringify(constant)} cannot be an identifier`]),
    ...(Array.isArray(prefixItems) ? ['a tuple'] : []),
    ...media.filter(([, value]) => !isJson(value) || !isJson(value['schema'])).map(([name]) => `${name} has no schema`),
    ...['anyOf', 'oneOf'].flatMap((choice) => [part[choice]].flat().flatMap(formProblems)),
  ]
}

const textOf = (constant: unknown) => (typeof constant === 'string' ? constant : '')

function formProblems(form: unknown): readonly string[] {
  const types = isJson(form) ? [form['type']].flat() : []
  return types.includes('array') ? ['a choice has a list among its forms'] : []
}
