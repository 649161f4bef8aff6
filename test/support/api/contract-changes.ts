/** Compares two OpenAPI documents of the service, for what callers could rely on and no longer can. */
import { portable } from '../../../contracts/openapi/portable.ts'

interface Json {
  readonly [name: string]: unknown
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const jsonOf = (value: unknown): Json => (isJson(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The document that a part stands in, for its references. */
type Resolve = (part: unknown) => Json

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete']

/**
 * Returns everything that the newer document removes or narrows: operations, parameters, accepted values, members of
 * answers, statuses and error codes. Additions are no changes, and neither is a portable form of the same.
 */
export function contractChanges(older: unknown, newer: unknown): readonly string[] {
  return changesOf(portable(jsonOf(older)), portable(jsonOf(newer)))
}

function changesOf(older: Json, newer: Json): readonly string[] {
  const [before, after] = [operationsOf(older), operationsOf(newer)]
  const [old, now] = [resolverOf(older), resolverOf(newer)]
  const changes = [...before].flatMap(([name, operation]) => {
    const present = after.get(name)
    if (present === undefined) return [`${name}: the operation is gone`]
    const documents = { old, now, seen: new Set<string>() }
    return operationChanges([operation, present], documents).map((change) => `${name}: ${change}`)
  })
  return [...new Set(changes)]
}

function operationsOf(document: unknown): Map<string, Json> {
  return new Map(
    Object.entries(jsonOf(jsonOf(document)['paths'])).flatMap(([path, item]) =>
      methods.flatMap((method): [string, Json][] => {
        const operation = jsonOf(item)[method]
        return isJson(operation) ? [[`${method.toUpperCase()} ${path}`, operation]] : []
      }),
    ),
  )
}

function resolverOf(document: unknown): Resolve {
  return (part) => {
    const reference = jsonOf(part)['$ref']
    if (typeof reference !== 'string') return jsonOf(part)
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, name) => jsonOf(inner)[name], document)
    return jsonOf(target)
  }
}

type Pair = readonly [old: Json, now: Json]

/** Both documents, and the shared definitions that are already compared: one may refer to itself. */
interface Documents {
  readonly old: Resolve
  readonly now: Resolve
  readonly seen: Set<string>
}

function operationChanges([old, now]: Pair, documents: Documents): string[] {
  return [
    ...(old['operationId'] === now['operationId'] ? [] : ['the operation has another id']),
    ...securityChanges(old, now),
    ...parameterChanges([old, now], documents),
    ...bodyChanges([old, now], documents),
    ...responseChanges([old, now], documents),
  ]
}

/** Every way to present a credential must stay possible. */
function securityChanges(old: Json, now: Json): string[] {
  const ways = new Set(listOf(now['security']).map((harness) => JSON.stringify(harness)))
  const isOpen = listOf(now['security']).length === 0
  if (listOf(old['security']).length === 0) return isOpen ? [] : ['a credential is required now']
  const lost = listOf(old['security']).filter((harness) => !isOpen && !ways.has(JSON.stringify(harness)))
  return lost.map((harness) => `the credential ${Object.keys(jsonOf(harness)).join(' and ')} is no longer accepted`)
}

function parameterChanges([old, now]: Pair, documents: Documents): string[] {
  const byName = (operation: Json, resolve: Resolve) =>
    new Map(
      listOf(operation['parameters']).map((each) => [
        `${String(resolve(each)['in'])} ${String(resolve(each)['name'])}`,
        resolve(each),
      ]),
    )
  const [before, after] = [byName(old, documents.old), byName(now, documents.now)]
  const lost = [...before].flatMap(([name, parameter]) => {
    const present = after.get(name)
    if (present === undefined) return [`the parameter "${name}" is gone`]
    const pair: Pair = [jsonOf(parameter['schema']), jsonOf(present['schema'])]
    return requestChanges(pair, documents, `the parameter "${name}"`)
  })
  const required = [...after].filter(
    ([name, { required }]) => required === true && before.get(name)?.['required'] !== true,
  )
  return [...lost, ...required.map(([name]) => `the parameter "${name}" is required now`)]
}

function bodyChanges([old, now]: Pair, documents: Documents): string[] {
  const [before, after] = [jsonOf(old['requestBody']), jsonOf(now['requestBody'])]
  const isRequired = after['required'] === true && before['required'] !== true
  const contents = jsonOf(after['content'])
  return [
    ...(isRequired ? ['a body is required now'] : []),
    ...Object.entries(jsonOf(before['content'])).flatMap(([mediaType, media]) => {
      const present = contents[mediaType]
      if (present === undefined) return [`a body of ${mediaType} is no longer accepted`]
      return requestChanges([jsonOf(jsonOf(media)['schema']), jsonOf(jsonOf(present)['schema'])], documents, 'the body')
    }),
  ]
}

function responseChanges([old, now]: Pair, documents: Documents): string[] {
  const after = jsonOf(now['responses'])
  return Object.entries(jsonOf(old['responses'])).flatMap(([status, response]) => {
    if (after[status] === undefined) return [`the status ${status} is gone`]
    const [before, present] = [documents.old(response), documents.now(after[status])]
    const headers = Object.keys(jsonOf(before['headers'])).filter(
      (name) => jsonOf(present['headers'])[name] === undefined,
    )
    const contents = Object.entries(jsonOf(before['content'])).flatMap(([mediaType, media]) => {
      const content = jsonOf(present['content'])[mediaType]
      if (content === undefined) return [`the answer ${status} no longer comes as ${mediaType}`]
      const pair: Pair = [jsonOf(jsonOf(media)['schema']), jsonOf(jsonOf(content)['schema'])]
      return answerChanges(pair, documents, `the answer ${status}`)
    })
    return headers.map((name) => `the answer ${status} lacks the header ${name}`).concat(contents)
  })
}

/** The limits that a value must keep, with whether a higher number is the stricter one. */
const limits = {
  minimum: true,
  minLength: true,
  minItems: true,
  maximum: false,
  maxLength: false,
  maxItems: false,
} as const

function requestChanges([old, now]: Pair, documents: Documents, where: string): string[] {
  const required = new Set(listOf(old['required']))
  const added = listOf(now['required']).filter((name) => !required.has(name))
  const narrowed = Object.entries(limits).filter(([limit, isLower]) => {
    const [before, after] = [old[limit], now[limit]]
    if (typeof after !== 'number') return false
    return typeof before !== 'number' || (isLower ? after > before : after < before)
  })
  return [
    ...added.map((name) => `${where} requires "${String(name)}" now`),
    ...narrowed.map(([limit]) => `${where} has a narrower ${limit}`),
    ...(now['pattern'] === undefined || now['pattern'] === old['pattern'] || isWidened(old['pattern'], now['pattern'])
      ? []
      : [`${where} has another pattern`]),
    ...shapeChanges([old, now], documents, where, requestChanges),
  ]
}

function answerChanges([old, now]: Pair, documents: Documents, where: string): string[] {
  const required = new Set(listOf(now['required']))
  const properties = jsonOf(now['properties'])
  const optional = listOf(old['required']).filter(
    (name) => !required.has(name) && Object.hasOwn(properties, String(name)),
  )
  return [
    ...optional.map((name) => `${where} may lack "${String(name)}" now`),
    ...shapeChanges([old, now], documents, where, answerChanges),
  ]
}

type Compare = (pair: Pair, documents: Documents, where: string) => string[]

/** Compares what both directions have in common: the type, the words of an enumeration, and the members. */
function shapeChanges([old, now]: Pair, documents: Documents, where: string, compare: Compare): string[] {
  const inner = (before: unknown, after: unknown, at: string) =>
    isSeen(before, documents.seen) ? [] : compare([documents.old(before), documents.now(after)], documents, at)
  const members = Object.entries(jsonOf(old['properties'])).flatMap(([name, member]) => {
    const present = jsonOf(now['properties'])[name]
    return present === undefined ? [`${where} lacks "${name}"`] : inner(member, present, `${where}.${name}`)
  })
  return [
    ...(now['type'] === undefined || typeOf(now) === typeOf(old) ? [] : [`${where} is ${typeOf(now)} now`]),
    ...lostWords(old, now).map((word) => `${where} lacks the value ${JSON.stringify(word)}`),
    ...members,
    ...['items', 'additionalProperties', 'propertyNames'].flatMap((part) =>
      isJson(old[part]) && isJson(now[part]) ? inner(old[part], now[part], `${where}.${part}`) : [],
    ),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((part) => {
      const present = listOf(now[part])
      return listOf(old[part]).flatMap((each, at) =>
        present[at] === undefined
          ? [`${where} lacks an alternative`]
          : inner(each, present[at], `${where}.${part}[${at}]`),
      )
    }),
  ]
}

const typeOf = ({ type }: Json) =>
  Array.isArray(type)
    ? type
        .map(String)
        .toSorted((a, b) => (a < b ? -1 : 1))
        .join(' or ')
    : String(type)

function isSeen(part: unknown, seen: Set<string>): boolean {
  const reference = jsonOf(part)['$ref']
  if (typeof reference !== 'string') return false
  const isKnown = seen.has(reference)
  seen.add(reference)
  return isKnown
}

function lostWords(old: Json, now: Json): readonly unknown[] {
  const words = (schema: Json) => ('const' in schema ? [schema['const']] : listOf(schema['enum']))
  const isAny = words(now).length === 0
  const present = new Set(words(now).map((word) => JSON.stringify(word)))
  return isAny ? [] : words(old).filter((word) => !present.has(JSON.stringify(word)))
}

/** Patterns with those that take all that they took, and more. */
const widened: ReadonlyMap<unknown, unknown> = new Map([
  // Ids of channels, which were UUIDs in small letters.
  ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', '^[A-Za-z0-9._~@:+-]{1,128}$'],
  // Values of variables, which may have apostrophes.
  [
    String.raw`^(?!.*:_:)[^\u0000-\u001f\u007f{}[\]'\\]{0,256}$`,
    String.raw`^(?!.*:_:)[^\u0000-\u001f\u007f{}[\]\\]{0,256}$`,
  ],
])

function isWidened(before: unknown, now: unknown): boolean {
  return widened.get(before) === now
}
