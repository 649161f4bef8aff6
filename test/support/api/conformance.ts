/** Checks answers against the OpenAPI document of their route. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type OpenApiDocument, exactDocument } from '../../../contracts/openapi/document.ts'
import type { Route } from '../../../contracts/routes/route.ts'

/** The parts of an answer that the document describes. */
interface DescribedAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
}

interface Media {
  readonly schema?: object
}

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}

/** The document of one route, and a validator that knows it. */
interface Described {
  readonly document: OpenApiDocument
  readonly ajv: Ajv2020
}

const described = new WeakMap<Route, Described>()

/**
 * Throws if an answer has a status, a media type or a body that the document of its route does not have. An error code
 * that the document does not name for its status is refused as well.
 */
export function checkConforms(route: Route, method: string, { status, contentType, text }: DescribedAnswer): void {
  const name = `${method} ${route.path}, ${status}`
  const known = describedRoute(route)
  const content = contentOf(known.document, route.path, method, status)
  if (content === undefined) throw new Error(`${name}: the API document does not have this status: ${text}`)
  if (content === 'empty' || method === 'HEAD') return
  const mediaType = contentType?.split(';')[0] ?? ''
  const media = content[mediaType] ?? content['*/*']
  if (media === undefined) throw new Error(`${name}: the API document does not have the media type "${mediaType}"`)
  if (media.schema === undefined) return
  const isValid = known.ajv.validate(
    withDocument(media.schema),
    mediaType === 'application/json' ? JSON.parse(text) : text,
  )
  if (!isValid) throw new Error(`${name}: the answer is not as in the API document: ${known.ajv.errorsText()}: ${text}`)
}

function describedRoute(route: Route): Described {
  const known = described.get(route)
  if (known !== undefined) return known
  const document = exactDocument([route])
  // OpenAPI has keywords of its own, such as `components`.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ $id: documentId, components: document.components })
  const made = { document, ajv }
  described.set(route, made)
  return made
}

const documentId = 'https://api.test/openapi.json'
const absolute = new WeakMap<object, object>()

/**
 * Returns a schema whose references name the document; each only once, since the validator remembers schemas by
 * identity.
 */
function withDocument(schema: object): object {
  const known = absolute.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${documentId}#/`)
  const made = JSON.parse(text) as object
  absolute.set(schema, made)
  return made
}

function contentOf({ paths, components }: OpenApiDocument, path: string, method: string, status: number) {
  const operation = paths[path]?.[method.toLowerCase()] as { readonly responses: Record<string, Response> } | undefined
  const response = operation?.responses[status]
  if (response === undefined) return undefined
  const described: Response =
    response.$ref === undefined ? response : (components['responses']?.[nameIn(response.$ref)] ?? {})
  return described.content ?? 'empty'
}

const nameIn = (reference: string) => reference.split('/').at(-1) ?? ''
