/**
 * Writes an OpenAPI document in the forms from which generators of clients make code that compiles and reads every
 * answer.
 */

interface Json {
  readonly [name: string]: unknown
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without a format, generators take numbers of 32 bits, which hold no time in milliseconds. */
const formats: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' }

/** The constants that can be a name in every language. */
const nameable = /^[A-Za-z_]\w*$/

/** The schema of a media type that has none. */
const bytes = { type: 'string', format: 'binary' } as const

/**
 * Returns a part of a document, or all of it, in portable forms: they accept every value that the given ones accept,
 * and descriptions say what is lost. Examples stay as they are.
 */
export function portable<T extends object>(part: T): T
export function portable(part: Json): object {
  const forms = withFormat(withoutTypeChoice(withoutConstant(withoutListChoice(withoutNull(withSchemas(part))))))
  return Object.fromEntries(
    Object.entries(forms).map(([name, value]) => [name, isExample(name) ? value : inner(value)]),
  )
}

const isExample = (name: string) => name === 'example' || name === 'examples'

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner)
  return isJson(value) ? portable(value) : value
}

function withSchemas(part: Json): Json {
  const { content } = part
  if (!isJson(content)) return part
  const media = Object.entries(content).map(([type, value]) => [
    type,
    // A field may have the name of this keyword.
    type.includes('/') ? { schema: bytes, ...Object(value) } : value,
  ])
  return { ...part, content: Object.fromEntries(media) }
}

/** Generators know no type whose only value is null: `null` goes to the types of the other form, or gets one. */
function withoutNull(part: Json): Json {
  const { anyOf, ...rest } = part
  if (part['type'] === 'null') return { ...part, type: ['number', 'null'] }
  if (!Array.isArray(anyOf)) return part
  const [form, ...others] = anyOf.filter((each) => !isJson(each) || each['type'] !== 'null')
  if (others.length > 0 || !isJson(form) || form['$ref'] !== undefined) return part
  const { const: value, ...named } = withoutConstant(form)
  const choices = value === undefined ? named['enum'] : [value]
  const values = Array.isArray(choices) ? { enum: [...new Set([...choices, null])] } : {}
  // A form without a type accepts null as it is.
  const type = named['type'] === undefined ? {} : { type: [named['type'], 'null'].flat() }
  return { ...named, ...rest, ...type, ...values }
}

/**
 * Joins the forms of a choice that has a list among them. Keywords of JSON Schema apply to values of their own type, so
 * the joined ones, without the types, say the same of each form. Those that name values apply to all, and go.
 */
function withoutListChoice(part: Json): Json {
  const { anyOf, ...rest } = part
  const forms = Array.isArray(anyOf) ? anyOf.filter(isJson) : []
  if (!forms.some(({ type }) => type === 'array')) return part
  const description = `One of: ${forms.map(({ type }) => String(type)).join(', ')}.`
  // A definition that refers to itself describes any value.
  if (JSON.stringify(forms).includes('"$ref"')) return { description, ...rest }
  const joined = Object.assign(
    {},
    ...forms.map(({ type: _type, enum: _enum, const: _const, ...form }) => withoutTuple(form)),
  )
  return { ...joined, description, ...rest }
}

/** Writes a tuple of one value as a list. */
function withoutTuple({ prefixItems, ...list }: Json): Json {
  return Array.isArray(prefixItems) ? { ...list, items: prefixItems[0] } : list
}

function withoutConstant(part: Json): Json {
  const { const: value, ...rest } = part
  if (value === undefined || isJson(value) || (typeof value === 'string' && nameable.test(value))) return part
  return { description: `Always \`${JSON.stringify(value)}\`.`, ...rest }
}

/** oapi-codegen has no type for several; a value of any type is read by every client. */
function withoutTypeChoice(part: Json): Json {
  const { type, ...rest } = part
  if (!Array.isArray(type) || type.filter((each) => each !== 'null').length < 2) return part
  return { description: `One of: ${type.join(', ')}.`, ...rest }
}

function withFormat(part: Json): Json {
  const format = [part['type']].flat().flatMap((type) => formats[String(type)] ?? [])[0]
  return format === undefined ? part : { ...part, format: part['format'] ?? format }
}
